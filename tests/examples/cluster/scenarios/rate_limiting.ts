import { expect } from "expect";
import { isReady } from "../../../cluster/node/scene.ts";
import type { Example, ExamplePod } from "../example.ts";

const FOLDER = "manifests/examples/rate-limiting";
const IN_SIDECAR = { container: "envoy-sidecar" };

/** What a PodMonitor says of whom Prometheus asks for what. */
interface PodMonitor {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly { readonly port: string; readonly path: string }[];
  };
}

/** Two sidecars that let some requests through and refuse those beyond, and that tell Prometheus. */
export async function rateLimiting(example: Example): Promise<void> {
  await example.run(`kubectl apply -f ${FOLDER}/rate_limiting.yaml`);
  await example.run("kubectl rollout status deployment/rate-limiting");
  expect(await example.run("kubectl get pods -l app=rate-limiting")).toMatch(/( 2\/2 +Running +0 .*\n.*){2}/);
  const pods = await example.pods("app=rate-limiting");
  expect(pods.map(isReady)).toEqual([true, true]);

  const [limited, other] = pods as [ExamplePod, ExamplePod];
  const loop = "for i in $(seq 30); do curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:38080/; done";
  const statuses = (await example.forwarded(limited, loop, IN_SIDECAR)).trim().split("\n");
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => "200"));
  expect([...new Set(statuses)].sort()).toEqual(["200", "429"]);
  const count = await example.forwarded(
    limited,
    "curl -s http://127.0.0.1:9901/stats/prometheus | grep rate_limited",
    IN_SIDECAR,
  );
  const refused = statuses.filter((status) => status === "429").length;
  expect(Number(/rate_limited\{[^}]*"requests"[^}]*\} (\d+)/.exec(count)?.[1])).toBe(refused);

  // The Service leads to both Envoys, and not to the applications beside them.
  const { spec } = await example.scene.get<{ spec: { type: string; clusterIP: string } }>("services/rate-limiting");
  expect(spec.type).toBe("LoadBalancer");
  const answered = new Set<number>();
  await example.until("an answer of each Envoy by the Service", async () => {
    const { status, headers } = await example.request(other, `http://rate-limiting/`);
    expect(headers["server"]).toBe("envoy");
    answered.add(status);
    return answered.has(200);
  });

  await monitored(example, pods);
}

/** Whoever follows the PodMonitor finds the metrics of each pod. */
async function monitored(example: Example, pods: readonly ExamplePod[]): Promise<void> {
  await example.run(`kubectl apply -f ${FOLDER}/pod_monitor.yaml`);
  const { spec } = await example.scene.get<PodMonitor>("monitoring.coreos.com/v1/podmonitors/rate-limiting");
  const labels = Object.entries(spec.selector.matchLabels).map(([name, value]) => `${name}=${value}`).join();
  const selected = await example.pods(labels);
  expect(selected.map(({ metadata }) => metadata.uid).sort()).toEqual(pods.map(({ metadata }) => metadata.uid).sort());
  const [endpoint] = spec.podMetricsEndpoints;
  for (const { spec: { containers }, status } of selected) {
    const named = containers.flatMap(({ ports = [] }) => ports).filter(({ name }) => name === endpoint!.port);
    expect(named).toHaveLength(1);
    const response = await fetch(`http://${status.podIP}:${named[0]!.containerPort}${endpoint!.path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("# TYPE envoy_http_downstream_rq_total counter");
  }
}
