import { expect } from "expect";
import { pauseBeforeRetry, retryAfterMs } from "./retry_after.ts";

Deno.test("Retry-After is read as seconds or as a date, and never believed beyond a minute", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const read = (header: string | null) => retryAfterMs(header, now);
  expect([null, "", " ", "soon"].map(read)).toEqual([undefined, undefined, undefined, undefined]);
  expect(["0", "1", "1.5", "3600", "-4"].map(read)).toEqual([0, 1000, 1500, 60_000, 0]);
  expect(read("Thu, 01 Jan 2026 00:00:05 GMT")).toBe(5000);
  expect(read("Wed, 31 Dec 2025 00:00:00 GMT")).toBe(0);
});

Deno.test("only what was turned away is sent again, and only while there is time", () => {
  const at = { tries: 1, leftMs: 30_000, random: 0 };
  expect(pauseBeforeRetry({ status: 429, retryAfterMs: 2000 }, at)).toBe(2000);
  expect(pauseBeforeRetry({ status: 429, retryAfterMs: undefined }, at)).toBe(1000);
  expect(pauseBeforeRetry({ status: 429, retryAfterMs: 2000 }, { ...at, random: 0.8 })).toBe(2200);
  expect(pauseBeforeRetry({ status: 503, retryAfterMs: 1000 }, at)).toBe(1000);
  expect(pauseBeforeRetry({ status: 503, retryAfterMs: undefined }, at)).toBeUndefined();
  expect(pauseBeforeRetry({ status: 409, retryAfterMs: 1000 }, at)).toBeUndefined();
  expect(pauseBeforeRetry({ status: 429, retryAfterMs: 31_000 }, at)).toBeUndefined();
  expect(pauseBeforeRetry({ status: 429, retryAfterMs: 1000 }, { ...at, tries: 6 })).toBeUndefined();
});
