import { expect } from "expect";
import type { Finding } from "../../../base/mod.ts";
import type { TlsMaterial } from "./tls_material.ts";
import { settleTls, type TlsReading, type TlsSettling } from "./tls_settling.ts";

const TIMES = { goodMs: 10, badMs: 50 };
const BROKEN: Finding = { severity: "error", path: [], message: "broken" };

function material(name: string): TlsMaterial {
  return { certificate: `${name} certificate`, privateKey: `${name} key`, clientCa: "ca" };
}

/** The actions for readings at the given times. */
function actions(readings: readonly [now: number, reading: TlsReading][]): string[] {
  let state: TlsSettling = { current: material("old") };
  return readings.map(([now, reading]) => {
    const settled = settleTls(state, { reading, now, times: TIMES });
    state = settled.state;
    return settled.step.action === "take" ? `take ${settled.step.material.certificate}` : settled.step.action;
  });
}

const old: TlsReading = { material: material("old"), findings: [] };
const fresh: TlsReading = { material: material("new"), findings: [] };
const half: TlsReading = { material: { ...material("old"), certificate: "new certificate" }, findings: [BROKEN] };
const missing: TlsReading = { findings: [BROKEN] };

Deno.test("settleTls() takes what stayed the same for a while, once", () => {
  expect(actions([[0, old], [10, fresh], [15, fresh], [20, fresh], [30, fresh]]))
    .toEqual(["none", "none", "none", "take new certificate", "none"]);
});

Deno.test("settleTls() says nothing of a pair that is replaced one file after the other", () => {
  expect(actions([[0, half], [10, half], [40, half], [45, fresh], [55, fresh]]))
    .toEqual(["none", "none", "none", "none", "take new certificate"]);
});

Deno.test("settleTls() tells what stays unusable, once, and again when it is something else", () => {
  expect(actions([[0, half], [50, half], [60, half], [70, missing], [119, missing], [120, missing], [130, missing]]))
    .toEqual(["none", "tell", "none", "none", "none", "tell", "none"]);
});

Deno.test("settleTls() forgets about a change that was taken back", () => {
  expect(actions([[0, half], [40, old], [50, half], [90, half], [100, half]]))
    .toEqual(["none", "none", "none", "none", "tell"]);
});

Deno.test("settleTls() takes the old material once more when it is back after it was told to be unusable", () => {
  expect(actions([[0, half], [50, half], [60, old], [70, old]])).toEqual([
    "none",
    "tell",
    "take old certificate",
    "none",
  ]);
});
