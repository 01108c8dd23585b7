import { expect } from "expect";
import type { Example } from "../example.ts";
import { holdOpen } from "../open_connection.ts";

const ENVOY = "app.kubernetes.io/instance=draining";

/** An Envoy that is no longer wanted stays for as long as somebody is connected, and goes then. */
export async function draining(example: Example): Promise<void> {
  await example.run("kubectl apply -f manifests/examples/draining/draining.yaml");
  await example.run("kubectl wait envoydeployment/draining --for=condition=Ready --timeout=5m");
  expect(await example.run(`kubectl get pods -l ${ENVOY}`)).toMatch(/ 2\/2 +Running +0 /);
  const pod = await example.pod(ENVOY);
  expect(pod.spec.terminationGracePeriodSeconds).toBe(330); // the five minutes, and a reserve
  await holdOpen(example, pod, {
    port: 8080,
    letGo: () =>
      example.run(`kubectl patch envoydeployment draining --type=merge -p '{"spec":{"replicas":{"static":0}}}'`),
    during: async () => expect(await example.run(`kubectl get pods -l ${ENVOY}`)).toMatch(/ 1\/2 +Terminating /),
  });
  expect(await example.pods(ENVOY)).toEqual([]);
}
