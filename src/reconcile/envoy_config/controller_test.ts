import { expect } from "expect";
import { ChanceryError, ManualClock, type ObjectKey } from "../../base/mod.ts";
import { envoyRegistry, resourceTypeOf } from "../../envoy/mod.ts";
import type { Snapshot } from "../../snapshot/mod.ts";
import { openMemoryStore, type Store } from "../../store/mod.ts";
import { EnvoyConfigController } from "./controller.ts";

const NAMESPACE = "demo";

/** A real store, the controller, and a sink that notes what it is told. */
async function world(
  prepare?: (store: ReturnType<typeof openMemoryStore>) => Promise<void>,
  wrap = (store: Store) => store,
) {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  await prepare?.(store);
  const stop = new AbortController();
  const log: string[] = [];
  const served = new Map<string, Snapshot>();
  const sink = {
    set(nodeId: string, snapshot: Snapshot) {
      served.set(nodeId, snapshot);
      log.push(`set ${nodeId}`);
    },
    gone(nodeId: string) {
      served.delete(nodeId);
      log.push(`gone ${nodeId}`);
    },
  };
  const registry = envoyRegistry();
  const errors: unknown[] = [];
  let reports = 0;
  const controller = new EnvoyConfigController({
    store: wrap(store),
    registry,
    sink,
    clock,
    random: () => 0,
    shelf: store,
    clients: { reports: () => [] },
    replica: { name: "here", bootId: "1" },
    onReport: () => reports++,
    onError: (_group, { error }) => errors.push(error),
  });
  await controller.start(stop.signal);
  return {
    clock,
    store,
    log,
    served,
    errors,
    controller,
    /** How often a node id was looked at. */
    get reports() {
      return reports;
    },
    /** Waits for all consequences: status writes come back as events. */
    async settle() {
      for (let i = 0; i < 5; i++) {
        await Promise.resolve();
        await controller.idle();
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controller.idle();
      await store.close();
    },
  };
}

type Item = Record<string, unknown>;

function apply(store: Store, kind: string, content: { name: string } & Record<string, unknown>): Promise<unknown> {
  const { name, labels, ...fields } = content;
  const apiVersion = { EnvoyConfig: "marin3r.3scale.net/v1alpha1", EndpointSlice: "discovery.k8s.io/v1" }[kind] ?? "v1";
  const metadata = { name, namespace: NAMESPACE, ...(labels ? { labels: labels as Record<string, string> } : {}) }; // ours
  return store.apply({ apiVersion, kind, metadata, ...fields }, { fieldManager: "test" });
}

function config(store: Store, name: string, spec: { nodeID: string; resources: Item[] }) {
  return apply(store, "EnvoyConfig", { name, spec });
}

function key(kind: string, name: string): ObjectKey {
  return { kind, namespace: NAMESPACE, name };
}

async function conditionsOf(store: Store, name: string): Promise<Record<string, string>> {
  const { status } = (await store.get(key("EnvoyConfig", name)))!;
  const { conditions } = status as { conditions: { type: string; status: string; reason: string }[] }; // as we wrote it
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

function names(snapshot: Snapshot | undefined): string[] {
  return [...snapshot?.types.values() ?? []].flatMap(({ typeUrl, resources }) =>
    [...resources.keys()].map((name) => `${resourceTypeOf(typeUrl)?.short} ${name}`)
  );
}

const ROUTE = { type: "route", value: { name: "r" } };

function opaque(secret: string): Item {
  return { type: "secret", generateFromOpaqueSecret: { name: secret, key: "k", alias: secret } };
}

function endpoints(app: string): Item {
  const selector = { matchLabels: { app } };
  return { type: "endpoint", generateFromEndpointSlices: { clusterName: app, targetPort: "http", selector } };
}

function slice(store: Store, name: string, app: string, address = "10.0.0.1") {
  const ports = [{ name: "http", port: 80 }];
  const fields = { addressType: "IPv4", ports, endpoints: [{ addresses: [address] }] };
  return apply(store, "EndpointSlice", { name, labels: { app }, ...fields });
}

Deno.test("start() resolves once all that is stored is served, told once each", async () => {
  await using w = await world(async (store) => {
    await config(store, "a", { nodeID: "a", resources: [opaque("s"), endpoints("x")] });
    await config(store, "b", { nodeID: "b", resources: [ROUTE] });
    await slice(store, "x-1", "x");
    await apply(store, "Secret", { name: "s", stringData: { k: "v" } });
  });
  expect(w.log.toSorted()).toEqual(["set a", "set b"]);
  expect(names(w.served.get("a"))).toEqual(["EDS x", "SDS s"]);
  expect(w.controller.reports().map(({ nodeId, missing }) => [nodeId, missing.length])).toEqual([["a", 0], ["b", 0]]);
});

Deno.test("I19: a second look without a change writes nothing and pushes nothing", async () => {
  let writes = 0;
  const counting = (store: Store): Store => ({
    ...bound(store),
    updateStatus(...args) {
      writes++;
      return store.updateStatus(...args);
    },
  });
  await using w = await world(async (store) => {
    await config(store, "a", { nodeID: "a", resources: [ROUTE, opaque("s")] });
    await apply(store, "Secret", { name: "s", stringData: { k: "v" } });
  }, counting);
  await w.settle();
  expect([writes, w.log, w.reports]).toEqual([2, ["set a"], 1]); // the config and its revision
  await apply(w.store, "Secret", { name: "s", stringData: { k: "v", unused: "x" } });
  await w.settle();
  expect([writes, w.log, w.reports]).toEqual([2, ["set a"], 2]);
});

Deno.test("W34: an event on a Secret or slice reaches only the configs that use it", async () => {
  await using w = await world(async (store) => {
    for (const app of ["a", "b", "c"]) {
      await config(store, app, { nodeID: app, resources: [opaque(app), endpoints(app)] });
    }
  });
  w.log.length = 0;
  await apply(w.store, "Secret", { name: "b", stringData: { k: "v" } });
  await w.settle();
  expect(w.log).toEqual(["set b"]);
  await slice(w.store, "one", "c");
  await w.settle();
  expect(w.log).toEqual(["set b", "set c"]);
  // The slice changes sides: both who lost it and who got it are concerned.
  await slice(w.store, "one", "a");
  await w.settle();
  expect(w.log.slice(2).toSorted()).toEqual(["set a"]);
  const c = w.controller.reports().find(({ nodeId }) => nodeId === "c");
  expect(c?.missing.map(({ served }) => served)).toEqual(["nothing", "last-good"]);
  await apply(w.store, "Secret", { name: "nobody", stringData: { k: "v" } });
  await w.settle();
  expect(w.log).toHaveLength(3);
});

Deno.test("W19: a missing Secret is told with its name, and the rest is served; when it comes the condition turns", async () => {
  await using w = await world((store) => config(store, "a", { nodeID: "a", resources: [ROUTE, opaque("s")] }).then());
  expect(names(w.served.get("a"))).toEqual(["RDS r"]);
  expect((await conditionsOf(w.store, "a")).ResourcesResolved).toBe("False SecretNotFound");
  await apply(w.store, "Secret", { name: "s", stringData: { k: "v" } });
  await w.settle();
  expect(names(w.served.get("a"))).toEqual(["RDS r", "SDS s"]);
  expect((await conditionsOf(w.store, "a")).ResourcesResolved).toBe("True AllResolved");
  await w.store.remove(key("Secret", "s"));
  await w.settle();
  expect(names(w.served.get("a"))).toEqual(["RDS r", "SDS s"]);
  expect((await conditionsOf(w.store, "a")).ResourcesResolved).toBe("False SecretNotFound");
});

Deno.test("W3: of two configs with one node id the older is served, and the newer takes over when it goes", async () => {
  await using w = await world();
  await config(w.store, "old", { nodeID: "n", resources: [{ type: "route", value: { name: "old" } }] });
  await w.settle();
  w.clock.advance(5000);
  await config(w.store, "new", { nodeID: "n", resources: [{ type: "route", value: { name: "new" } }] });
  await w.settle();
  expect(names(w.served.get("n"))).toEqual(["RDS old"]);
  expect((await conditionsOf(w.store, "new")).Conflict).toBe("True NodeIdInUse");
  expect((await conditionsOf(w.store, "old")).Conflict).toBe("False NodeIdShared");
  await w.store.remove(key("EnvoyConfig", "old"));
  await w.settle();
  expect(names(w.served.get("n"))).toEqual(["RDS new"]);
  expect((await conditionsOf(w.store, "new")).Conflict).toBe("False NoConflict");
  expect(w.log).toEqual(["set n", "set n"]);
});

Deno.test("W32: EnvoyConfigs are counted by state, and one that is not served as such", async () => {
  await using w = await world();
  const states = () => Object.fromEntries([...w.controller.states()].filter(([, count]) => count > 0));
  expect([...w.controller.states().values()]).toEqual([0, 0, 0, 0]); // every state shows, so that a dashboard sees a zero
  await config(w.store, "a", { nodeID: "a", resources: [ROUTE] });
  await config(w.store, "b", { nodeID: "b", resources: [ROUTE] });
  await w.settle();
  w.clock.advance(5000);
  await config(w.store, "second-a", { nodeID: "a", resources: [] });
  await w.settle();
  expect(states()).toEqual({ InSync: 2, NotServed: 1 });
  await config(w.store, "b", { nodeID: "b", resources: [{ type: "route", value: { nme: "r" } }] });
  await w.settle();
  expect(states()).toEqual({ InSync: 1, Rollback: 1, NotServed: 1 });
  await w.store.remove(key("EnvoyConfig", "second-a"));
  await w.settle();
  expect(states()).toEqual({ InSync: 1, Rollback: 1 });
});

Deno.test("W25: a changed node id takes the old one away and brings the new one", async () => {
  await using w = await world((store) => config(store, "a", { nodeID: "before", resources: [ROUTE] }).then());
  await config(w.store, "a", { nodeID: "after", resources: [ROUTE] });
  await w.settle();
  expect(w.log.toSorted()).toEqual(["gone before", "set after", "set before"]);
  expect(w.controller.reports().map(({ nodeId }) => nodeId)).toEqual(["after"]);
});

Deno.test("a bad spec leaves what is served, and a good one after it heals", async () => {
  await using w = await world((store) => config(store, "a", { nodeID: "a", resources: [ROUTE] }).then());
  const good = w.served.get("a");
  await config(w.store, "a", { nodeID: "a", resources: [{ type: "route", value: { nme: "r" } }] });
  await w.settle();
  expect(w.served.get("a")).toBe(good);
  expect(await conditionsOf(w.store, "a")).toEqual({
    Valid: "False InvalidResources",
    ResourcesResolved: "True AllResolved",
    CacheOutOfSync: "True CantPublishDesiredVersion",
  });
  await config(w.store, "a", { nodeID: "a", resources: [ROUTE] });
  await w.settle();
  expect((await conditionsOf(w.store, "a")).CacheOutOfSync).toBe("False DesiredVersionPublished");
  expect(w.log).toEqual(["set a"]);
});

Deno.test("an object without a node id is told so, and disturbs nobody", async () => {
  await using w = await world(async (store) => {
    await apply(store, "EnvoyConfig", { name: "odd", spec: { nodeid: "x" } });
    await config(store, "a", { nodeID: "a", resources: [ROUTE] });
  });
  expect(w.log).toEqual(["set a"]);
  expect((await conditionsOf(w.store, "odd")).Valid).toBe("False InvalidResources");
});

Deno.test("W33: a status that cannot be written holds up no traffic and is written later", async () => {
  let full = true;
  const failing = (store: Store): Store => ({
    ...bound(store),
    updateStatus: (...args) =>
      full
        ? Promise.reject(new ChanceryError("unavailable", "Cannot write: the disk is full"))
        : store.updateStatus(...args),
  });
  await using w = await world((store) => config(store, "a", { nodeID: "a", resources: [ROUTE] }).then(), failing);
  expect(names(w.served.get("a"))).toEqual(["RDS r"]);
  expect(w.errors).toHaveLength(1);
  full = false;
  w.clock.advance(60_000);
  await w.settle();
  expect((await conditionsOf(w.store, "a")).Valid).toBe("True SpecIsValid");
  expect(w.log).toEqual(["set a"]);
});

Deno.test("I10: last good bytes outlive the process, and are forgotten when nobody needs them", async () => {
  await using w = await world(async (store) => {
    await config(store, "a", { nodeID: "a", resources: [opaque("s")] });
    await apply(store, "Secret", { name: "s", stringData: { k: "v" } });
    await store.keep("last-good/orphan", new Uint8Array([1]));
  });
  const kept = () => w.store.keptNames("last-good/");
  expect(await kept()).toEqual(['last-good/["opaque","demo",{"alias":"s","key":"k","name":"s"}]']);
  await w.store.remove(key("Secret", "s"));
  await w.settle();
  // Another process over the same store.
  const stop = new AbortController();
  const served = new Map<string, Snapshot>();
  const second = new EnvoyConfigController({
    store: w.store,
    shelf: w.store,
    registry: envoyRegistry(),
    clock: w.clock,
    random: () => 0,
    clients: { reports: () => [] },
    replica: { name: "here", bootId: "2" },
    sink: { set: (nodeId, snapshot) => void served.set(nodeId, snapshot), gone: () => {} },
  });
  await second.start(stop.signal);
  expect(names(served.get("a"))).toEqual(["SDS s"]);
  stop.abort();
  await second.idle();
  await w.store.remove(key("EnvoyConfig", "a"));
  await w.settle();
  expect(await kept()).toEqual([]);
});

/** A store's methods, to replace some. */
function bound(store: Store): Store {
  return {
    get: (...args) => store.get(...args),
    list: (...args) => store.list(...args),
    watch: (...args) => store.watch(...args),
    apply: (...args) => store.apply(...args),
    updateStatus: (...args) => store.updateStatus(...args),
    remove: (...args) => store.remove(...args),
    record: (...args) => store.record(...args),
  };
}
