import { expect } from "expect";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest, type ControlPlane, startControlPlane } from "./mod.ts";

const DEADLINE_MS = 30_000;

clusterTest(
  "stop() and start() of each component keep data and address, freeze() and thaw() keep connections",
  async (t) => {
    await using cluster = await startControlPlane();
    const namespace = await cluster.namespace();

    await t.step("an API server that was killed comes back with what it had", async () => {
      await cluster.stop("kube-apiserver", { signal: "SIGKILL" });
      await expect(cluster.request("GET", "/version")).rejects.toThrow();
      await cluster.start("kube-apiserver");
      await cluster.request("GET", `/api/v1/namespaces/${namespace}`);
    });

    await t.step("an etcd that was stopped comes back with what it had", async () => {
      await cluster.stop("etcd");
      await cluster.start("etcd");
      const look = () => cluster.request("GET", `/api/v1/namespaces/${namespace}`);
      await eventually(look, { what: "what etcd had", deadlineMs: DEADLINE_MS });
    });

    await t.step("a frozen API server does not answer until it is thawed", async () => {
      await cluster.freeze("kube-apiserver");
      const answer = cluster.request("GET", `/api/v1/namespaces/${namespace}`);
      const early = await Promise.race([answer.then(() => "answered"), afterMs(300)]);
      expect(early).toBe("silent");
      await cluster.thaw("kube-apiserver");
      await answer;
    });

    await t.step(
      "while etcd is frozen the API server answers no write, and thawed it finishes what waits",
      async () => {
        await cluster.freeze("etcd");
        const made = cluster.namespace();
        expect(await Promise.race([made, afterMs(300)])).toBe("silent");
        await cluster.thaw("etcd");
        await cluster.request("GET", `/api/v1/namespaces/${await made}`);
      },
    );

    await t.step("the controller manager and the scheduler work after a restart", async () => {
      for (const component of ["kube-controller-manager", "kube-scheduler"] as const) {
        await cluster.stop(component);
        await cluster.start(component);
      }
      await expectPodScheduled(cluster, namespace);
    });

    await t.step("what does not run cannot be frozen", async () => {
      await cluster.stop("kube-scheduler");
      await expect(cluster.freeze("kube-scheduler")).rejects.toThrow("Cannot send SIGSTOP to kube-scheduler");
    });
  },
);

/** A Deployment on a Node that nobody runs: its Pod needs the controller manager to be made and the scheduler to be placed. */
async function expectPodScheduled(cluster: ControlPlane, namespace: string): Promise<void> {
  const labels = { app: "a" };
  await cluster.apply([
    { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "a", namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } },
      },
    },
  ]);
  await cluster.request("PATCH", "/api/v1/nodes/n1/status", {
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10" }, conditions: [{ type: "Ready", status: "True" }] },
  }, "application/merge-patch+json");
  await eventually(async () => {
    const { stdout } = await cluster.kubectl([
      "get",
      "pods",
      "-n",
      namespace,
      "-o",
      "jsonpath={.items[*].spec.nodeName}",
    ]);
    expect(stdout).toBe("n1");
    return true;
  }, { what: "the Pod on its Node", deadlineMs: DEADLINE_MS });
}

async function afterMs(ms: number): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return "silent";
}
