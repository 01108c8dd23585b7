import { expect } from "expect";
import type { Example } from "../example.ts";

const NAME = "endpoint-discovery";

/** Requests reach the pods of a Service, however many there are, and nobody writes a configuration for it. */
export async function endpointDiscovery(example: Example): Promise<void> {
  await example.run(`kubectl apply -f manifests/examples/${NAME}/endpoint_discovery.yaml`);
  await example.run(`kubectl wait envoydeployment/${NAME} --for=condition=Ready --timeout=5m`);
  const envoy = await example.pod(`app.kubernetes.io/instance=${NAME}`);
  const revisions = async () => {
    const table = await example.run(`kubectl get ecr -l marin3r.3scale.net/node-id=${NAME}`);
    return table.trim().split("\n").slice(1).map((line) => line.split(/ +/)[0]);
  };
  const allAnswer = async (count: number) => {
    const pods = (await example.pods(`app=${NAME}`)).map(({ metadata: { name } }) => name);
    if (pods.length !== count) return false;
    let answers = "";
    for (let n = 0; n < 2 * count; n++) answers += await example.forwarded(envoy, "curl -sk https://127.0.0.1:8443/");
    return pods.every((pod) => answers.includes(pod));
  };
  await example.until("both pods to answer", () => allAnswer(2));
  const before = await revisions();
  expect(before).toHaveLength(1);
  await example.run(`kubectl scale deployment/${NAME} --replicas=3`);
  await example.until("the third pod to answer", () => allAnswer(3));
  expect(await revisions()).toEqual(before);
}
