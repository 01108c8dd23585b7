import { expect } from "expect";
import type { Example } from "../example.ts";

const NAME = "marin3r-envoydeployment-envoy-deployment";

/** An EnvoyDeployment with everything for production, and a certificate of its own. */
export async function envoyDeployment(example: Example): Promise<void> {
  await example.run("kubectl apply -f manifests/examples/envoy-deployment/envoy_deployment.yaml");
  await example.run("kubectl wait envoydeployment/envoy-deployment --for=condition=Ready --timeout=5m");
  const listed = await example.run("kubectl get deployments,hpa,pdb");
  const kinds = ["deployment.apps", "horizontalpodautoscaler.autoscaling", "poddisruptionbudget.policy"];
  for (const kind of kinds) expect(listed).toContain(`${kind}/${NAME} `);
  const { scene } = example;
  expect(await scene.get(`autoscaling/v2/horizontalpodautoscalers/${NAME}`)).toMatchObject({
    spec: {
      scaleTargetRef: { kind: "Deployment", name: NAME },
      ...{ minReplicas: 1, maxReplicas: 10 },
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 50 } } }],
    },
  });
  expect(await scene.get(`policy/v1/poddisruptionbudgets/${NAME}`)).toMatchObject({ spec: { minAvailable: 1 } });

  const pod = await example.pod("app.kubernetes.io/instance=envoy-deployment");
  const { containers, initContainers = [] } = pod.spec;
  expect([...containers, ...initContainers].map(({ name, image }) => [name, image])).toEqual([
    ["envoy", "envoyproxy/envoy:v1.40.0"],
    ["envoy-shtdn-mgr", "chancery:0.1.0"],
    ["envoy-init-mgr", "chancery:0.1.0"],
  ]);
  expect(containers[0]!.resources).toEqual({ requests: { cpu: "200m", memory: "128Mi" }, limits: { memory: "512Mi" } });
  const answer = await example.forwarded(pod, "curl -kv https://127.0.0.1:8443/");
  expect(answer).toMatch(/subject:.*CN ?= ?envoy\.example\.com/);
  expect(answer).toMatch(/issuer:.*CN ?= ?envoy\.example\.com/);
  expect(answer).toContain("Hello from Envoy\n");
  expect(await scene.logs(pod.metadata.name, "envoy")).toMatch(/"GET \/\S* HTTP/); // of the admin interface
}
