import { expect } from "expect";
import type { Example } from "../example.ts";
import { livesOf } from "../lives.ts";

const FOLDER = "manifests/examples/path-routing";
const ENVOY = "app.kubernetes.io/instance=path-routing";

/** Requests go by their path to one application and later to another one, too, through the same Envoy. */
export async function pathRouting(example: Example): Promise<void> {
  await example.run(`kubectl apply -f ${FOLDER}/path_routing.yaml`);
  await example.run(`kubectl apply -f ${FOLDER}/1_path_a.yaml`);
  await example.run("kubectl wait envoydeployment/path-routing --for=condition=Ready --timeout=5m");
  const envoy = await example.pod(ENVOY);
  const ask = (path: string) => example.forwarded(envoy, `curl -i http://127.0.0.1:8080${path}`);
  const servedBy = async (path: string) => {
    const { metadata: { name } } = await example.pod(`app=path-routing-${path}`);
    await example.until(`/${path} to be answered by ${name}`, async () => {
      const answer = await ask(`/${path}`);
      return /^HTTP\/\S+ 200/.test(answer) && answer.includes(name);
    });
  };
  await servedBy("a");
  expect(await ask("/b")).toMatch(/^HTTP\/\S+ 404/);

  await example.run(`kubectl apply -f ${FOLDER}/2_path_b.yaml`);
  await servedBy("b");
  await servedBy("a");
  expect(await example.run(`kubectl get pods -l ${ENVOY}`)).toMatch(/ 1\/1 +Running +0 /);
  expect(livesOf([await example.pod(ENVOY)])).toEqual(livesOf([envoy]));
}
