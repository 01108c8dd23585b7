import { expect } from "expect";
import { LiveCache } from "./live_cache.ts";
import type { ObjectEvent, WatchedObject } from "./object_source.ts";

function thing(version: string, more: object = {}): WatchedObject {
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "a", namespace: "demo", resourceVersion: version },
    ...more,
  };
}

const KEY = { kind: "Thing", namespace: "demo", name: "a" };

function event(type: ObjectEvent["type"], version: string): ObjectEvent {
  return { type, object: thing(version) };
}

function version(cache: LiveCache): string | undefined {
  return cache.get(KEY)?.metadata.resourceVersion;
}

Deno.test("LiveCache knows what was written before the watch tells it, and is not set back by older news", () => {
  const cache = new LiveCache();
  cache.take(event("added", "5"));
  cache.wrote(thing("9"));
  expect(version(cache)).toBe("9");
  cache.take(event("modified", "7"));
  expect(version(cache)).toBe("9");
  cache.take(event("deleted", "8")); // of the object before ours
  expect(version(cache)).toBe("9");
  cache.take(event("modified", "9"));
  cache.take(event("modified", "10"));
  expect(version(cache)).toBe("10");
});

Deno.test("LiveCache forgets what is deleted after it was written", () => {
  const cache = new LiveCache();
  cache.wrote(thing("9"));
  cache.take(event("deleted", "12"));
  expect(cache.get(KEY)).toBeUndefined();
  expect(cache.all("Thing", "demo")).toEqual([]);
});

Deno.test("LiveCache keeps what the watch told when a write gives something older", () => {
  const cache = new LiveCache();
  cache.take(event("added", "10"));
  cache.wrote(thing("10", { whatever: true }));
  cache.take(event("modified", "11"));
  expect(version(cache)).toBe("11");
});

Deno.test("LiveCache does not keep what was deleted before the write of it was answered", () => {
  const cache = new LiveCache();
  cache.take(event("added", "5"));
  cache.take(event("deleted", "12"));
  cache.wrote(thing("9"));
  expect(cache.get(KEY)).toBeUndefined();
  cache.wrote(thing("13")); // made anew
  expect(version(cache)).toBe("13");
  cache.take(event("added", "13"));
  cache.take(event("deleted", "14"));
  cache.take(event("added", "20"));
  expect(version(cache)).toBe("20");
});

Deno.test("LiveCache remembers the last deletions only", () => {
  const cache = new LiveCache();
  const other = (at: number): ObjectEvent => {
    const object = thing(String(100 + at));
    return { type: "deleted", object: { ...object, metadata: { ...object.metadata, name: `other-${at}` } } };
  };
  cache.take(event("deleted", "12"));
  for (let at = 0; at < 999; at++) cache.take(other(at));
  cache.wrote(thing("9"));
  expect(cache.get(KEY)).toBeUndefined();
  cache.take(other(999));
  cache.wrote(thing("9"));
  expect(version(cache)).toBe("9");
});
