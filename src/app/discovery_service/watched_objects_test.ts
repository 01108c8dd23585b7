import { expect } from "expect";
import { openMemoryStore } from "../../store/mod.ts";
import { ManualClock } from "../../base/mod.ts";
import { watchedObjects } from "./watched_objects.ts";

Deno.test("watchedObjects() reads the namespaces that are watched, and all where none is named", async () => {
  await using store = openMemoryStore({ clock: new ManualClock() });
  for (const namespace of ["a", "b", "c"]) {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace } };
    await store.apply(object, { fieldManager: "test" });
  }
  const names = async (namespaces: string[], query?: { namespace: string }) =>
    (await watchedObjects(store, namespaces).list("ConfigMap", query)).items.map(({ metadata }) => metadata.namespace);
  expect(await names([])).toEqual(["a", "b", "c"]);
  expect(await names(["a", "c"])).toEqual(["a", "c"]);
  expect(await names(["a", "c"], { namespace: "c" })).toEqual(["c"]);
  expect(await names(["a", "c"], { namespace: "b" })).toEqual([]);
  const get = (namespace: string) => watchedObjects(store, ["a"]).get({ kind: "ConfigMap", namespace, name: "x" });
  expect([await get("a"), await get("b")]).toMatchObject([{ metadata: { namespace: "a" } }, undefined]);
});
