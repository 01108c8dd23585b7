import { expect } from "expect";
import { OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { ManualClock } from "../../base/mod.ts";
import { openMemoryStore } from "../../store/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import { watchDiscoveryServices } from "./discovery_service_index.ts";

Deno.test("watchDiscoveryServices() knows those of each namespace, and asks anew when it is told to", async () => {
  const store = openMemoryStore({ clock: new ManualClock() });
  const stop = new AbortController();
  const log = createLogger({ now: () => 0, write: () => {}, level: "error" });
  const apply = (namespace: string, name: string) =>
    store.apply(
      { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", metadata: { namespace, name }, spec: {} },
      {
        fieldManager: "test",
      },
    );
  await apply("shop", "a");
  const index = await watchDiscoveryServices(store, { signal: stop.signal, log });
  const names = (namespace: string) => index.of(namespace).map(({ metadata }) => metadata.name);
  expect([names("shop"), names("blog")]).toEqual([["a"], []]);
  await apply("blog", "b");
  await index.lookAgain("blog");
  expect(names("blog")).toEqual(["b"]);
  await store.remove({ kind: "DiscoveryService", namespace: "shop", name: "a" });
  await index.lookAgain("shop");
  expect(names("shop")).toEqual([]);
  stop.abort();
  await store.close();
  await index.lookAgain("blog"); // the store does not answer any more: what was known stays
  expect(names("blog")).toEqual(["b"]);
});
