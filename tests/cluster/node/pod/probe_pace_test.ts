import { expect } from "expect";
import { addAnswer, probePace, type Tally, verdict } from "./probe_pace.ts";

Deno.test("probePace() fills in the defaults of the API", () => {
  expect(probePace({}, Infinity)).toEqual({ delayMs: 0, periodMs: 10_000, timeoutMs: 1000, successes: 1, failures: 3 });
});

Deno.test("probePace() asks more often than told, but believes failures no sooner", () => {
  expect(probePace({ periodSeconds: 10, failureThreshold: 3 }, 500)).toMatchObject({ periodMs: 500, failures: 60 });
  expect(probePace({ periodSeconds: 1, failureThreshold: 3 }, 5000)).toMatchObject({ periodMs: 1000, failures: 3 });
});

Deno.test("verdict() needs as many answers in a row as the probe says", () => {
  const pace = probePace({ successThreshold: 2, failureThreshold: 3, periodSeconds: 1 }, Infinity);
  let tally: Tally | undefined;
  const verdicts = [true, false, false, true, true, false, false, false].map((passed) => {
    tally = addAnswer(tally, passed);
    return verdict(tally, pace);
  });
  expect(verdicts).toEqual([undefined, undefined, undefined, undefined, true, undefined, undefined, false]);
});
