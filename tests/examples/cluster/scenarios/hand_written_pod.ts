import { expect } from "expect";
import type { Example } from "../example.ts";

/** A pod that nobody has put anything into gets its configuration by the certificate of all sidecars. */
export async function handWrittenPod(example: Example): Promise<void> {
  await example.run("kubectl apply -f manifests/examples/hand-written-pod/hand_written_pod.yaml");
  await example.run("kubectl wait pod/hand-written-pod --for=condition=Ready --timeout=5m");
  const { scene } = example;
  const pod = await scene.pod("hand-written-pod");
  const init = await scene.logs("hand-written-pod", "init");
  expect(init).toContain("the discovery service is not verified");
  expect(init).toContain('wrote "/etc/envoy/bootstrap/config.json"');
  const answer = await example.forwarded(pod, "curl -i http://127.0.0.1:8080/");
  expect(answer).toMatch(/^HTTP\/\S+ 200/);
  expect(answer).toContain("Hello from Envoy\n");
}
