import { expect } from "expect";
import type { ObjectKey } from "../../src/base/mod.ts";
import type { StoredObject, WatchEvent } from "../../src/store/mod.ts";
import { clusterTest, type ControlPlane, sharedControlPlane } from "./control_plane/mod.ts";
import { eventually, openStore } from "./store_scene.ts";

const SECRETS = "secrets";

function key(namespace: string, name: string): ObjectKey {
  return { kind: "Secret", namespace, name };
}

/** Creates a Secret, or replaces its one value. */
async function put(cluster: ControlPlane, namespace: string, name: string, value: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/${SECRETS}/${name}?fieldManager=test&force=true`;
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name }, data: { value: btoa(value) } };
  await cluster.request("PATCH", path, body, "application/apply-patch+yaml");
}

function valueOf(object: StoredObject): string | undefined {
  const data = object.data as { value?: string } | undefined;
  return data?.value === undefined ? undefined : atob(data.value);
}

/** What a watcher of Secrets is told: `modified a one`, and `-` for what has no data. */
function lines(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name} ${valueOf(object) ?? "-"}`);
}

async function scene() {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  const opened = await openStore(cluster.kubeconfig, { namespaces: [namespace] });
  const events: WatchEvent[] = [];
  const stop = new AbortController();
  const watch = () => opened.store.watch(["Secret"], (event) => events.push(event), { signal: stop.signal });
  return {
    cluster,
    namespace,
    store: opened.store,
    events,
    watch,
    key: (name: string) => key(namespace, name),
    put: (name: string, value: string) => put(cluster, namespace, name, value),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await opened[Symbol.asyncDispose]();
    },
  };
}

clusterTest("S4: content of a Secret is told while somebody needs it, and only then", async () => {
  await using s = await scene();
  await s.put("a", "one");
  await s.put("b", "other");
  await s.watch();
  expect(lines(s.events)).toEqual(["added a -", "added b -"]);
  await s.store.need("node/1", [s.key("a"), s.key("missing"), { ...s.key("x"), kind: "EndpointSlice" }]);
  expect(lines(s.events).slice(2)).toEqual(["modified a one"]);
  await s.store.need("node/2", [s.key("a")]);
  await s.put("a", "two");
  await s.put("b", "other too");
  await eventually(() => s.events.length === 5, "both changes are told");
  expect(lines(s.events).slice(3).sort()).toEqual(["modified a two", "modified b -"]);
  await s.store.need("node/1", []);
  expect(s.events.length).toBe(5); // node/2 still needs it
  await s.put("missing", "here");
  await s.store.need("node/2", [s.key("missing")]);
  await eventually(() => s.events.length >= 7, "what was missing is told");
  expect(lines(s.events).slice(5).filter((line) => line.includes(" a "))).toEqual(["modified a -"]);
  expect(lines(s.events).at(-1)).toMatch(/(added|modified) missing here/);
  await s.store.remove(s.key("missing"));
  await s.put("later", "no");
  await eventually(() => lines(s.events).includes("added later -"), "the watch goes on");
  expect(lines(s.events)).toContain("deleted missing here");
});

clusterTest("a Secret that is needed before it is there is told with its content at once", async () => {
  await using s = await scene();
  await s.store.need("node/1", [s.key("a")]);
  await s.watch();
  await s.put("a", "one");
  await eventually(() => s.events.length > 0, "it is told");
  expect(lines(s.events)).toEqual(["added a one"]);
});

clusterTest("whoever changes, removes and needs Secrets in any order, watchers end up with what is there", async () => {
  await using s = await scene();
  const names = ["a", "b", "c", "d"];
  await s.watch();
  for (let round = 0; round < 5; round++) {
    await Promise.all(names.flatMap((name, i) => [
      s.put(name, `${round}`).then(() => (i + round) % 3 === 0 ? s.store.remove(s.key(name)) : undefined),
      s.store.need(`node/${i}`, round % 2 === 0 ? [s.key(name), s.key("a")] : [s.key("b")]),
    ]));
  }
  await s.store.need("node/0", [s.key("a"), s.key("c")]);
  await s.store.need("node/1", []);
  await s.store.need("node/2", []);
  await s.store.need("node/3", []);
  const { items } = await s.store.list("Secret", { namespace: s.namespace });
  await s.store.caughtUp(AbortSignal.timeout(20_000));
  const believed = new Map<string, string>();
  for (const { type, object } of s.events) {
    const { name } = object.metadata;
    expect(`${type} ${believed.has(name)}`).toBe(`${type} ${type !== "added"}`); // added once, then modified or deleted
    if (type === "deleted") believed.delete(name);
    else believed.set(name, valueOf(object) ?? "-");
  }
  const needed = (name: string) => name === "a" || name === "c";
  const wanted = items.map((item) => [item.metadata.name, needed(item.metadata.name) ? valueOf(item) : "-"] as const);
  expect([...believed].sort()).toEqual(wanted.sort());
});

clusterTest("a Secret that may not be read is said, without harm to the others", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  await put(cluster, namespace, "mine", "one");
  await put(cluster, namespace, "other", "two");
  const kubeconfig = await cluster.serviceAccount(namespace, "half", [
    { apiGroups: [""], resources: ["secrets"], verbs: ["list", "watch"] },
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] },
  ]);
  await using opened = await openStore(kubeconfig, { namespaces: [namespace] });
  const events: WatchEvent[] = [];
  const stop = new AbortController();
  await opened.store.watch(["Secret"], (event) => events.push(event), { signal: stop.signal });
  const needed = opened.store.need("node/1", [key(namespace, "other"), key(namespace, "mine")]);
  await expect(needed).rejects.toMatchObject({ code: "forbidden" });
  await eventually(() => lines(events).includes("modified mine one"), "the other one is read");
  expect(opened.store.watches()[0]!.problem).toContain(`Cannot get Secret/${namespace}/other`);
  await opened.store.need("node/1", [key(namespace, "mine")]);
  expect(opened.store.watches()[0]!.problem).toBeUndefined();
  stop.abort();
});

clusterTest("I14: bytes of a Secret come into no error and no log line", async () => {
  await using s = await scene();
  const canary = "c2VjcmV0LWNhbmFyeQ==";
  const write = (data: unknown, type = "Opaque") =>
    s.store.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "a", namespace: s.namespace },
      type,
      data,
    }, { fieldManager: "test" }).then(() => "taken", (thrown: Error) => `${thrown} ${thrown.cause ?? ""}`);
  const refusals = [
    await write({ value: canary }, "kubernetes.io/tls"),
    await write({ [`not a key ${"x".repeat(300)}`]: canary }),
    await write({ value: "x".repeat(1_600_000) + canary }),
  ];
  for (const refusal of refusals) {
    expect(refusal).toMatch(/^ChanceryError: Cannot apply Secret/);
    expect(refusal).not.toContain(canary);
  }
  expect(refusals[0]).toContain("data[tls.crt]: FieldValueRequired");
});
