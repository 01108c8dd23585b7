import { expect } from "expect";
import { eventually, startProcess } from "../envoy/harness/mod.ts";
import { sharedControlPlane, startControlPlane } from "./control_plane/mod.ts";
import { nodeTest, startNode } from "./node/mod.ts";
import { IDLE, IMAGES, isReady, podOf, Scene, script } from "./node/scene.ts";

const OWNER = new URL("node/owner_program.ts", import.meta.url).pathname;

/** What there is on this machine of a node: namespaces, its folder, processes. */
async function leftovers(name: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ["/run/netns", Deno.env.get("TMPDIR") ?? "/tmp"]) {
    for await (const entry of Deno.readDir(folder)) if (entry.name.startsWith(name)) found.push(entry.name);
  }
  for await (const entry of Deno.readDir("/proc")) {
    const command = await Deno.readTextFile(`/proc/${entry.name}/cmdline`).catch(() => "");
    if (/^\d+$/.test(entry.name) && command.includes(name)) found.push(`process ${entry.name}`);
  }
  return found;
}

/** A node of another process, with a Pod that runs. What is left of it at the API server goes with the scope. */
async function foreignNode() {
  await using parts = new AsyncDisposableStack();
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace("node");
  const args = ["run", "--quiet", "--allow-all", "--no-check", OWNER, cluster.kubeconfig, namespace];
  const owner = parts.use(startProcess({ name: "owner", command: Deno.execPath(), args }));
  const name = await eventually(() => owner.lines[0], {
    what: "the node",
    deadlineMs: 30_000,
    explain: () => owner.tail(),
  });
  // Others would wait for ever for Pods of a DaemonSet there.
  parts.defer(async () => void await cluster.request("DELETE", `/api/v1/nodes/${name}`));
  await cluster.request("POST", `/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: "v1",
    ...podOf("left", { containers: [script("sh", IDLE)], terminationGracePeriodSeconds: 0 }),
  });
  const path = `/api/v1/namespaces/${namespace}/pods/left`;
  await eventually(async () => isReady(await cluster.request("GET", path) as Parameters<typeof isReady>[0]), {
    what: "the pod to be ready",
    deadlineMs: 30_000,
    explain: () => owner.tail(),
  });
  const made = parts.move();
  return { cluster, namespace, owner, name, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

nodeTest("a node whose process is killed is removed from the machine by its companion", async () => {
  await using foreign = await foreignNode();
  const { owner, name } = foreign;
  expect(await leftovers(name)).toContain(name);
  await owner.kill();
  await eventually(async () => (await leftovers(name)).length === 0, {
    what: "everything to be gone",
    deadlineMs: 30_000,
    explain: async () => JSON.stringify(await leftovers(name)),
  });
});

nodeTest("a node that was killed with its companion is removed from the machine by the next node", async () => {
  await using foreign = await foreignNode();
  const { cluster, namespace, owner, name } = foreign;
  const companion = (await leftovers(name)).filter((one) => one.startsWith("process "));
  // The companion first, since it would begin at once.
  for (const one of companion) Deno.kill(Number(one.slice("process ".length)), "SIGKILL");
  await owner.kill();
  expect(await leftovers(name)).toContain(name);
  await using _next = await startNode({ controlPlane: cluster, namespaces: [namespace], images: IMAGES });
  expect(await leftovers(name)).toEqual([]);
});

nodeTest(
  "a node outlives a restart of the API server: Pods run on, and what happens after it is followed",
  async () => {
    await using cluster = await startControlPlane();
    const namespace = await cluster.namespace("node");
    await using node = await startNode({ controlPlane: cluster, images: IMAGES });
    const scene = new Scene(cluster, namespace, node);
    const spec = { containers: [script("sh", `echo life; ${IDLE}`)], terminationGracePeriodSeconds: 5 };
    await scene.create(podOf("before", spec));
    await scene.ready("before");
    await cluster.stop("kube-apiserver", { signal: "SIGKILL" });
    // Something to be told later: the container ends while nobody can hear of it.
    node.signal(scene.name("before"), "SIGTERM");
    await cluster.start("kube-apiserver");
    await scene.create(podOf("after", spec));
    await scene.ready("after");
    const { status } = await scene.until(
      "before",
      "started anew",
      (pod) => pod.status.containerStatuses?.[0]?.restartCount === 1,
    );
    expect(status.containerStatuses?.[0]?.lastState.terminated?.exitCode).toBe(0);
    await cluster.request("DELETE", scene.path("pods/before"));
    await scene.gone("before");
  },
);
