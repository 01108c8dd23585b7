import { expect } from "expect";
import { ChanceryError, ManualClock, type ObjectKey } from "../../base/mod.ts";
import { type EmbeddedStore, openMemoryStore, type Store } from "../../store/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import type { AdmissionRequest } from "../../webhook/mod.ts";
import { type NodeIdIndex, watchNodeIds } from "./node_id_index.ts";

const log = createLogger({ now: () => 0, write() {} });

/** A store whose watch tells nothing, as in the moment before it does. */
function silent(store: EmbeddedStore, get = (key: ObjectKey) => store.get(key)): Store {
  return {
    get,
    list: (kind, query) => store.list(kind, query),
    watch: () => Promise.resolve(),
    apply: (object, options) => store.apply(object, options),
    updateStatus: (key, status, options) => store.updateStatus(key, status, options),
    remove: (key, options) => store.remove(key, options),
    record: (event) => store.record(event),
  };
}

function create(name: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: "u",
    resource: { group: "", version: "", resource: "envoyconfigs" },
    subResource: "",
    operation: "CREATE",
    namespace: "demo",
    name,
    object: { metadata: { name, namespace: "demo" }, spec: { nodeID: "edge" } },
    dryRun: false,
    ...more,
  };
}

async function apply(store: EmbeddedStore, name: string): Promise<void> {
  const apiVersion = "marin3r.3scale.net/v1alpha1";
  const object = { apiVersion, kind: "EnvoyConfig", metadata: { name, namespace: "demo" }, spec: { nodeID: "edge" } };
  await store.apply(object, { fieldManager: "test" });
}

function holders({ nodeIds }: NodeIdIndex): string[] {
  return nodeIds.holders("edge").map(({ key }) => key.name);
}

Deno.test("W3: what was just let through counts before the watch tells of it, if it really came to be", async () => {
  await using store = openMemoryStore({ clock: new ManualClock() });
  const ending = new AbortController();
  const index = await watchNodeIds(silent(store), { signal: ending.signal, log });
  index.onAllowed(create("first"));
  index.onAllowed(create("lost"));
  index.onAllowed(create("dry", { dryRun: true }));
  index.onAllowed(create("changed", { operation: "UPDATE" }));
  expect(holders(index)).toEqual(["first", "lost"]);
  await apply(store, "first");
  await index.lookAgain("edge");
  expect(holders(index)).toEqual(["first"]);
  ending.abort();
});

Deno.test("W6: what was let through and never came to be is forgotten", async () => {
  await using store = openMemoryStore({ clock: new ManualClock() });
  const ending = new AbortController();
  const index = await watchNodeIds(silent(store), { signal: ending.signal, log });
  for (let i = 0; i < 1_000; i++) index.onAllowed(create(`n${i}`));
  expect(index.nodeIds.holders("edge").length).toBe(200);
  index.onAllowed(create("nameless", { object: { metadata: {} } }));
  expect(index.nodeIds.holders("edge").length).toBe(200);
  ending.abort();
});

Deno.test("W3: what is known stays when it cannot be looked at again", async () => {
  await using store = openMemoryStore({ clock: new ManualClock() });
  await apply(store, "first");
  const ending = new AbortController();
  const gone = () => Promise.reject(new ChanceryError("unavailable", "no API server"));
  const blind = { ...silent(store, gone), watch: store.watch.bind(store) };
  const index = await watchNodeIds(blind, { signal: ending.signal, log });
  await index.lookAgain("edge");
  expect(holders(index)).toEqual(["first"]);
  ending.abort();
});
