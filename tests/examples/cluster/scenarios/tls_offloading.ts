import { expect } from "expect";
import type { Example } from "../example.ts";
import { livesOf } from "../lives.ts";

const FOLDER = "manifests/examples/tls-offloading";
const CURL = "curl -kv https://127.0.0.1:8443/";
const CONFIG = "marin3r.3scale.net/v1alpha1/envoyconfigs/tls-offloading";

/** TLS ends at a sidecar, which shows another certificate soon after it is replaced, and is not started anew for that. */
export async function tlsOffloading(example: Example): Promise<void> {
  await example.run(`kubectl apply -f ${FOLDER}/tls_offloading.yaml`);
  await example.run("kubectl rollout status deployment/tls-offloading");
  expect(await example.run("kubectl get pods -l app=tls-offloading")).toMatch(/ 2\/2 +Running +0 /);
  const pod = await example.pod("app=tls-offloading");
  expect(pod.spec.containers.map(({ name }) => name)).toEqual(["whoami", "envoy-sidecar"]);

  const ask = () => example.forwarded(pod, CURL, { container: "envoy-sidecar" });
  const first = await ask();
  expect(first).toMatch(/subject:.*CN ?= ?first\.example\.com/);
  expect(first).toMatch(/< HTTP\/\S+ 200/);
  expect(first).toMatch(/< server: envoy\b/);

  const version = async () => (await example.scene.get<{ status: { desiredVersion: string } }>(CONFIG)).status;
  const { desiredVersion } = await version();
  await example.run(`kubectl apply -f ${FOLDER}/2_other_certificate.yaml`);
  await example.until(
    "the other certificate to be shown",
    async () => /subject:.*CN ?= ?second\.example\.com/.test(await ask()),
  );
  expect(livesOf([await example.pod("app=tls-offloading")])).toEqual(livesOf([pod]));
  expect((await version()).desiredVersion).toBe(desiredVersion);
}
