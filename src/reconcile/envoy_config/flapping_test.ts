import { expect } from "expect";
import { heldUntil } from "./flapping.ts";

const NOW = Date.parse("2026-03-04T12:00:00Z");

/** Rollbacks so many minutes ago; the next one waits until so many minutes from now. */
const ROWS: readonly { readonly ago: readonly number[]; readonly wait: number | undefined }[] = [
  { ago: [], wait: undefined },
  { ago: [0.1, 0.05], wait: undefined },
  { ago: [50, 30, 0], wait: 1 },
  { ago: [50, 30, 1], wait: undefined },
  { ago: [50, 30, 20, 0], wait: 2 },
  { ago: [50, 30, 20, 10, 0], wait: 4 },
  { ago: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], wait: 10 },
  { ago: [70, 65, 61, 0], wait: undefined },
  { ago: [-70, -65, -61, -60], wait: undefined }, // by a clock that is an hour ahead
  { ago: [0.3, 0.2, -0.5], wait: 1.5 }, // by one that is hardly ahead
];

for (const { ago, wait } of ROWS) {
  Deno.test(`after rollbacks ${ago.join(", ") || "never"} minutes ago the next one waits ${wait ?? "not"}`, () => {
    const times = ago.map((minutes) => new Date(NOW - minutes * 60_000).toISOString());
    const until = heldUntil(times, NOW);
    expect(until === undefined ? undefined : (until - NOW) / 60_000).toBe(wait);
  });
}
