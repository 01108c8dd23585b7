import { expect } from "expect";
import fc from "fast-check";
import type { StoredObject, WatchEvent } from "../../store.ts";
import { ObjectCache } from "./object_cache.ts";

function object(name: string, version: number, uid = name): StoredObject {
  const metadata = {
    name,
    namespace: "demo",
    uid,
    resourceVersion: String(version),
    generation: 1,
    creationTimestamp: "",
  };
  return { apiVersion: "v1", kind: "Sample", metadata };
}

function lines(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object: { metadata } }) => `${type} ${metadata.name} ${metadata.resourceVersion}`);
}

Deno.test("a list tells only what differs from what was told", () => {
  const cache = new ObjectCache();
  cache.beginList();
  for (const name of ["same", "changed", "gone", "anew"]) cache.put(object(name, 1));
  expect(cache.endList("100")).toEqual([]);
  cache.beginList();
  const told = [
    ...cache.put(object("same", 1)),
    ...cache.put(object("changed", 2)),
    ...cache.put(object("anew", 3, "other")),
    ...cache.put(object("new", 4)),
    ...cache.endList("100"),
  ];
  expect(lines(told)).toEqual([
    "modified changed 2",
    "deleted anew 1",
    "added anew 3",
    "added new 4",
    "deleted gone 100",
  ]);
  expect(cache.size).toBe(4);
});

Deno.test("a list that breaks off deletes nothing", () => {
  const cache = new ObjectCache();
  cache.put(object("a", 1));
  cache.put(object("b", 1));
  cache.beginList();
  cache.put(object("a", 1));
  cache.beginList();
  expect(lines([...cache.put(object("b", 1)), ...cache.put(object("a", 1)), ...cache.endList("100")])).toEqual([]);
});

Deno.test("a deletion of what is not known is none", () => {
  const cache = new ObjectCache();
  expect(cache.drop(object("a", 1))).toEqual([]);
  expect(cache.endList("100")).toEqual([]);
});

Deno.test("whatever is listed and watched, the events add up to what is there", () => {
  const name = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ do: fc.constant("put" as const), name, uid: fc.constantFrom("1", "2") }),
    fc.record({ do: fc.constant("drop" as const), name }),
    fc.record({ do: fc.constant("list" as const), names: fc.uniqueArray(name), breaks: fc.boolean() }),
  );
  fc.assert(fc.property(fc.array(step), (steps) => {
    const cache = new ObjectCache();
    const believed = new Map<string, string>();
    let version = 0;
    const take = (events: WatchEvent[]) => {
      for (const { type, object: { metadata } } of events) {
        expect(believed.has(metadata.name)).toBe(type !== "added");
        if (type === "deleted") believed.delete(metadata.name);
        else believed.set(metadata.name, metadata.resourceVersion);
      }
    };
    for (const step of steps) {
      if (step.do === "put") take(cache.put(object(step.name, ++version, step.uid)));
      else if (step.do === "drop") take(cache.drop(object(step.name, ++version)));
      else {
        cache.beginList();
        for (const name of step.names) take(cache.put(object(name, ++version)));
        if (!step.breaks) take(cache.endList("100"));
        if (!step.breaks) expect([...believed.keys()].sort()).toEqual([...step.names].sort());
      }
      const known = [...cache.values()].map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
      expect(Object.fromEntries(known)).toEqual(Object.fromEntries(believed));
    }
  }));
});
