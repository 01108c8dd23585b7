import { expect } from "expect";
import { ManualClock, type ObjectKey } from "../../base/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import type { Snapshot } from "../../snapshot/mod.ts";
import { openMemoryStore, type Store, type StoredObject, type WatchEvent } from "../../store/mod.ts";
import type { ObjectStore } from "../engine/object_source.ts";
import { EnvoyConfigController } from "./controller.ts";
import { Fleet } from "./testing/fleet.ts";
import { CONFIG, spec } from "./testing/scene.ts";

const API = "marin3r.3scale.net/v1alpha1";

async function apply(store: Store, kind: string, content: Record<string, unknown> & { name: string }): Promise<void> {
  const { name, namespace = "demo", ...fields } = content;
  const apiVersion = kind === "Secret" ? "v1" : API;
  const metadata = { name, namespace: String(namespace) };
  await store.apply({ apiVersion, kind, metadata, ...fields }, { fieldManager: "user" });
}

function opaque(name: string) {
  return { type: "secret", generateFromOpaqueSecret: { name, key: "k", alias: name } };
}

Deno.test("W27: of a dead replica nothing stays behind, its field manager neither", async () => {
  await using fleet = new Fleet();
  for (const name of ["a", "b"]) await fleet.start(name);
  await fleet.lead("a");
  await fleet.apply(spec("one"));
  await fleet.connect("b", 2);
  await fleet.apply(spec("two"));
  await fleet.wait(3000);
  const managers = async () =>
    (await fleet.revisions()).flatMap(({ object }) => object.metadata.managedFields ?? []).map(({ manager }) => manager)
      .filter((manager) => manager.startsWith("chancery-clients-"));
  expect(await managers()).toEqual(["chancery-clients-b", "chancery-clients-b"]);
  await fleet.kill("b");
  await fleet.expire();
  await fleet.wait(3000);
  expect(await managers()).toEqual(["chancery-clients-a"]); // who expects them now
  expect((await fleet.status()).clients).toEqual({
    connected: 0,
    accepted: 0,
    rejected: 0,
    refusedData: 0,
    pending: 2,
  });
});

Deno.test("W27: that others report at the same time keeps the leader from nothing, and is no error", async () => {
  await using fleet = new Fleet();
  for (const name of ["a", "b", "c"]) await fleet.start(name);
  await fleet.lead("a");
  await fleet.apply(spec("one"));
  const a = fleet.members.get("a")!;
  a.view.stall(1); // the mark of the revision is on its way while others report on what is published
  await fleet.apply(spec("two"));
  await fleet.connect("b", 1);
  await fleet.connect("c", 1);
  a.view.thaw();
  await fleet.wait(1000);
  const { publication } = await fleet.status();
  expect([...fleet.members.values()].map(({ streams }) => streams.serving)).toEqual([
    publication,
    publication,
    publication,
  ]);
  expect([...fleet.members.values()].flatMap(({ errors }) => errors)).toEqual([]);
});

Deno.test("W27: Events are the leader's alone, one for each thing that happened", async () => {
  await using fleet = new Fleet();
  for (const name of ["a", "b", "c"]) await fleet.start(name);
  await fleet.lead("a");
  await fleet.apply(spec("one"));
  for (const name of ["a", "b", "c"]) await fleet.connect(name, 1);
  for (const name of ["a", "b", "c"]) await fleet.answer(name, ["accepts"]);
  await fleet.wait(12_000);
  await fleet.apply(spec("two"));
  for (const name of ["a", "b", "c"]) await fleet.answer(name, ["refuses"]);
  await fleet.lead("b");
  await fleet.apply(spec("three"));
  const events = await fleet.store.events(CONFIG);
  expect(events.map(({ reason, count }) => [reason, count])).toEqual([
    ["Published", 1],
    ["Published", 1],
    ["RolledBack", 1],
    ["Published", 1],
    ["Recovered", 1],
  ]);
  expect(events.find(({ reason }) => reason === "RolledBack")?.message).toContain("3 of 3 Envoys refused it");
});

/** One replica over a store, for what has nothing to do with others. */
async function alone(
  prepare: (store: ReturnType<typeof openMemoryStore>) => Promise<void>,
  wrap: (store: Store) => ObjectStore = (store) => store,
  more: { leading?: () => boolean; beside?: ReturnType<typeof openMemoryStore> } = {},
) {
  const clock = new ManualClock();
  const store = more.beside ?? openMemoryStore({ clock });
  await prepare(store);
  const stop = new AbortController();
  const served = new Map<string, Snapshot>();
  const looks: string[] = [];
  const sets: string[] = [];
  const controller = new EnvoyConfigController({
    store: wrap(store),
    registry: envoyRegistry(),
    clock,
    random: () => 0,
    replica: { name: "here", bootId: "1" },
    replicas: { live: () => new Map([["here", "1"], ["there", "1"]]) },
    leadership: { leading: more.leading ?? (() => true) },
    clients: { reports: () => [] },
    sink: {
      set: (nodeId, snapshot) => {
        served.set(nodeId, snapshot);
        sets.push(nodeId);
      },
      gone: (nodeId) => served.delete(nodeId),
    },
    onReport: (nodeId) => looks.push(nodeId),
  });
  await controller.start(stop.signal);
  return {
    clock,
    store,
    served,
    looks,
    sets,
    controller,
    async settle() {
      for (let i = 0; i < 5; i++) {
        await Promise.resolve();
        await controller.idle();
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controller.idle();
      if (!more.beside) await store.close();
    },
  };
}

function names(snapshot: Snapshot | undefined): string[] {
  return [...snapshot?.types.values() ?? []].flatMap(({ resources }) => [...resources.keys()]);
}

async function conditionsOf(store: Store, key: Omit<ObjectKey, "kind">): Promise<Record<string, string>> {
  const { status } = (await store.get({ kind: "EnvoyConfig", ...key }))!;
  const { conditions } = status as { conditions: { type: string; status: string; reason: string }[] }; // as we wrote it
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

Deno.test("W3: across namespaces the older EnvoyConfig is served, with the Secrets of its own namespace", async () => {
  await using w = await alone(async (store) => {
    await apply(store, "Secret", { name: "s", namespace: "one", stringData: { k: "of one" } });
    await apply(store, "Secret", { name: "s", namespace: "two", stringData: { k: "of two" } });
  });
  await apply(w.store, "EnvoyConfig", { name: "x", namespace: "two", spec: { nodeID: "n", resources: [opaque("s")] } });
  await w.settle();
  w.clock.advance(5000);
  await apply(w.store, "EnvoyConfig", { name: "x", namespace: "one", spec: { nodeID: "n", resources: [opaque("s")] } });
  await w.settle();
  const secret = () => {
    const [type] = [...w.served.get("n")!.types.values()].filter(({ resources }) => resources.has("s"));
    return new TextDecoder().decode(type!.resources.get("s")!.body);
  };
  expect(secret()).toContain("of two");
  expect((await conditionsOf(w.store, { namespace: "one", name: "x" })).Conflict).toBe("True NodeIdInUse");
  expect((await conditionsOf(w.store, { namespace: "two", name: "x" })).Conflict).toBe("False NodeIdShared");
  await w.store.remove({ kind: "EnvoyConfig", namespace: "two", name: "x" });
  await w.settle();
  expect(secret()).toContain("of one");
  expect((await conditionsOf(w.store, { namespace: "one", name: "x" })).Conflict).toBe("False NoConflict");
});

/** Tells Secrets without their data until somebody needs them; what is needed then comes after a while. */
function sparing(store: Store) {
  const needed = new Map<string, ReadonlySet<string>>();
  let tell: ((event: WatchEvent) => void) | undefined;
  const waiting: (() => void)[] = [];
  const isNeeded = (name: string) => [...needed.values()].some((names) => names.has(name));
  const slim = ({ data: _data, ...object }: StoredObject): StoredObject => object as StoredObject; // only less of it
  const source: ObjectStore = {
    watch: (kinds, onEvent, options) => {
      tell = (event) => {
        const { kind, metadata: { name } } = event.object;
        onEvent(kind === "Secret" && !isNeeded(name) ? { ...event, object: slim(event.object) } : event);
      };
      return store.watch(kinds, (event) => tell?.(event), options);
    },
    apply: (...args) => store.apply(...args),
    updateStatus: (...args) => store.updateStatus(...args),
    remove: (...args) => store.remove(...args),
    record: (...args) => store.record(...args),
    need: async (owner, keys) => {
      needed.set(owner, new Set(keys.map(({ name }) => name)));
      await new Promise<void>((resolve) => waiting.push(resolve));
      for (const key of keys) {
        const object = await store.get(key);
        if (object) tell?.({ type: "modified", object });
      }
    },
  };
  return { source, needed, waiting };
}

Deno.test("W19: a Secret whose content is on its way is waited for and not called missing", async () => {
  let asked: ReturnType<typeof sparing> | undefined;
  const starting = alone(async (store) => {
    for (const name of ["s", "t", "unused"]) await apply(store, "Secret", { name, stringData: { k: "v" } });
    await apply(store, "EnvoyConfig", { name: "a", spec: { nodeID: "a", resources: [opaque("s")] } });
    await apply(store, "EnvoyConfig", { name: "b", spec: { nodeID: "b", resources: [opaque("t")] } });
  }, (store) => (asked = sparing(store)).source);
  for (let turn = 0; turn < 10_000 && asked?.waiting.length !== 2; turn++) await Promise.resolve();
  expect(asked?.waiting.length).toBe(2); // at the start for all at once
  for (const resolve of asked!.waiting.splice(0)) resolve();
  await using w = await starting;
  expect([names(w.served.get("a")), names(w.served.get("b"))]).toEqual([["s"], ["t"]]);
  expect(w.looks).toEqual(["a", "b"]);
  // Another Secret is needed from now on, as well as the one to go back to.
  await apply(w.store, "EnvoyConfig", { name: "a", spec: { nodeID: "a", resources: [opaque("t"), opaque("gone")] } });
  for (let turn = 0; turn < 10_000 && asked!.waiting.length === 0; turn++) await Promise.resolve();
  expect(names(w.served.get("a"))).toEqual(["s"]);
  expect([...asked!.needed.get("node/a")!]).toEqual(["gone", "s", "t"]);
  for (const resolve of asked!.waiting.splice(0)) resolve();
  await w.settle();
  expect(names(w.served.get("a"))).toEqual(["t"]);
  expect((await conditionsOf(w.store, { namespace: "demo", name: "a" })).ResourcesResolved).toBe(
    "False SecretNotFound",
  );
  await w.store.remove({ kind: "EnvoyConfig", namespace: "demo", name: "a" });
  for (let turn = 0; turn < 10_000 && asked!.waiting.length === 0; turn++) await Promise.resolve();
  for (const resolve of asked!.waiting.splice(0)) resolve();
  await w.settle();
  expect([...asked!.needed.get("node/a")!]).toEqual([]);
});

Deno.test("W34: what another replica reports is one look at one node id, and nothing is built", async () => {
  const count = 200;
  await using w = await alone(async (store) => {
    for (let n = 0; n < count; n++) {
      const resources = [{ type: "route", value: { name: `r${n}` } }];
      await apply(store, "EnvoyConfig", { name: `c${n}`, spec: { nodeID: `n${n}`, resources } });
    }
  });
  expect(w.sets.length).toBe(count);
  w.looks.length = 0;
  const { items: [revision] } = await w.store.list("EnvoyConfigRevision");
  const { metadata: { name, namespace }, apiVersion, kind } = revision!;
  const version = (revision!["spec"] as { version: string }).version; // as we wrote it
  const counts = { connected: 1, sent: 1, accepted: 1, rejected: 0, refusedData: 0, pending: 0 };
  const report = { bootId: "1", publication: version, ...counts };
  await w.store.apply({ apiVersion, kind, metadata: { name, namespace }, status: { clients: { there: report } } }, {
    fieldManager: "chancery-clients-there",
    subresource: "status",
  });
  await w.settle();
  expect(w.looks.length).toBe(1);
  expect(w.sets.length).toBe(count);
});

Deno.test("I18: who follows makes the very bytes that the leader makes, from the revision instead of the spec", async () => {
  const texts = {
    clusters: [{ value: "name: c\nconnect_timeout: 1.50s\nper_connection_buffer_limit_bytes: 1e3\n" }],
    routes: [{ value: '{"virtual_hosts": [{"domains": ["*"], "name": "v"}], "name": "r"}' }],
    secrets: [{ name: "tls" }],
  };
  let leads = true;
  await using leader = await alone(
    async (store) => {
      await apply(store, "Secret", { name: "s", stringData: { k: "v" } });
      await apply(store, "EnvoyConfig", {
        name: "a",
        spec: { nodeID: "a", serialization: "yaml", envoyResources: texts },
      });
      await apply(store, "EnvoyConfig", { name: "b", spec: { nodeID: "b", resources: [opaque("s")] } });
    },
    (store) => store,
    { leading: () => leads },
  );
  leads = false; // the specs change, and nobody decides
  for (const name of ["a", "b"]) {
    await apply(leader.store, "EnvoyConfig", { name, spec: { nodeID: name, resources: [] } });
  }
  await using follower = await alone(async () => {}, (store) => store, { leading: () => false, beside: leader.store });
  const bytes = ({ served }: typeof leader) =>
    ["a", "b"].map((node) =>
      [...served.get(node)!.types.values()].flatMap(({ resources }) =>
        [...resources.values()].map(({ name, version, body }) => [name, version, body])
      )
    );
  expect(bytes(follower)).toEqual(bytes(leader));
  expect(bytes(leader).map((resources) => resources.length)).toEqual([2, 1]);
});
