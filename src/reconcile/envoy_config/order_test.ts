import { expect } from "expect";
import type { WatchedObject } from "../engine/object_source.ts";
import { nextPublicationTime, ranked, surplus } from "./order.ts";

/** A revision by its version, when it was made, and when it was published last; minutes past the hour. */
function revision(version: string, made: number, published?: number): { version: string; object: WatchedObject } {
  const time = (minute: number) => `2026-03-04T05:${String(minute).padStart(2, "0")}:00Z`;
  const status = published === undefined ? {} : { status: { lastPublishedAt: time(published) } };
  const metadata = { name: `edge-v3-${version}`, creationTimestamp: time(made) };
  return {
    version,
    object: { apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfigRevision", metadata, ...status },
  };
}

const ORDERS = [
  { name: "by when they were published last", all: [revision("a", 1, 9), revision("b", 2, 5)], order: "b a" },
  { name: "by when they were made while never published", all: [revision("a", 6), revision("b", 2, 5)], order: "b a" },
  {
    name: "the desired one is last whenever it was published",
    all: [revision("d", 1, 2), revision("b", 2, 5)],
    order: "b d",
  },
  { name: "one that is not stored yet is last", all: [{ version: "d" }, revision("b", 2, 5)], order: "b d" },
  { name: "equal times by name", all: [revision("b", 1, 5), revision("a", 2, 5)], order: "a b" },
] as const;

for (const { name, all, order } of ORDERS) {
  Deno.test(`W35: ranked(): ${name}`, () => {
    expect(ranked(all, "d").map(({ version }) => version).join(" ")).toBe(order);
    expect(ranked(all.toReversed(), "d").map(({ version }) => version).join(" ")).toBe(order);
  });
}

Deno.test("W35: surplus() takes the lowest ranks, and never what has to be kept", () => {
  const all = Array.from({ length: 13 }, (_, index) => ({ version: `v${index}` }));
  const gone = (...keep: string[]) => surplus(all, new Set(keep)).map(({ version }) => version);
  expect(gone()).toEqual(["v0", "v1", "v2"]);
  expect(gone("v0", "v2", "v12")).toEqual(["v1", "v3", "v4"]);
  expect(surplus(all.slice(0, 10), new Set())).toEqual([]);
});

Deno.test("W35: two publications never have the same time, whatever the clock says", () => {
  const before = [revision("a", 1, 9)];
  const last = Date.parse("2026-03-04T05:09:00Z");
  expect(nextPublicationTime(before, last)).toBe("2026-03-04T05:09:00.001Z");
  expect(nextPublicationTime(before, last - 3_600_000)).toBe("2026-03-04T05:09:00.001Z");
  expect(nextPublicationTime(before, last + 5)).toBe("2026-03-04T05:09:00.005Z");
  expect(nextPublicationTime([], last)).toBe("2026-03-04T05:09:00.000Z");
});
