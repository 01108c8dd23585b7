import { expect } from "expect";
import type { Example } from "../example.ts";
import { holdOpen } from "../open_connection.ts";

/** A sidecar with everything set, whose application ends only after its Envoy has drained. */
export async function sidecar(example: Example): Promise<void> {
  await example.run("kubectl apply -f manifests/examples/sidecar/sidecar.yaml");
  await example.run("kubectl rollout status deployment/sidecar");
  expect(await example.run("kubectl get pods -l app=sidecar")).toMatch(/ 3\/3 +Running +0 /);
  const pod = await example.pod("app=sidecar");
  const { containers, initContainers = [] } = pod.spec;
  expect(containers.map(({ name, image }) => [name, image])).toEqual([
    ["whoami", "traefik/whoami:v1.11"],
    ["envoy-sidecar", "envoyproxy/envoy:v1.40.0"],
    ["envoy-shtdn-mgr", "chancery:0.1.0"],
  ]);
  expect(initContainers.map(({ name, image }) => [name, image])).toEqual([["envoy-init-mgr", "chancery:0.1.0"]]);
  expect(containers[1]).toMatchObject({
    args: expect.arrayContaining(["--component-log-level", "upstream:debug", "--concurrency", "2"]),
    ports: expect.arrayContaining([{ name: "envoy-http", containerPort: 8080, hostPort: 18080, protocol: "TCP" }]),
    resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "256Mi" } },
  });
  const hook = { preStop: { httpGet: { path: "/shutdown", port: 8090, scheme: "HTTP" } } };
  const shown = await example.run(
    "kubectl get pods -l app=sidecar -o jsonpath='{.items[0].spec.containers[0].lifecycle}'",
  );
  expect(JSON.parse(shown)).toEqual(hook);
  const curl = () => example.forwarded(pod, "curl -i http://127.0.0.1:8080/", { container: "envoy-sidecar" });
  expect(await curl()).toMatch(/^HTTP\/\S+ 200/);

  const said = () => example.scene.logs(pod.metadata.name, "whoami");
  await holdOpen(example, pod, {
    port: 8080,
    letGo: () => example.run("kubectl delete pods -l app=sidecar --wait=false"),
    during: async () => {
      expect(await curl()).toMatch(/^HTTP\/\S+ 200/);
      expect(await said()).not.toContain("told to end");
    },
  });
  expect(await said()).toContain("told to end");
}
