import { expect } from "expect";
import { ManualClock } from "./manual_clock.ts";
import { wait } from "./wait.ts";

Deno.test("wait() is over after its time", async () => {
  const clock = new ManualClock();
  const over = wait(100, { clock, signals: [undefined, new AbortController().signal] });
  clock.advance(99);
  expect(await Promise.race([over, Promise.resolve("waits")])).toBe("waits");
  clock.advance(1);
  expect(await over).toBe(true);
});

Deno.test("wait() ends at any of its signals, and leaves no timer behind", async () => {
  for (const which of [0, 1]) {
    const timers: string[] = [];
    const clock = {
      ...{ now: () => 0, monotonic: () => 0 },
      after: () => {
        timers.push("set");
        return () => timers.push("cancelled");
      },
    };
    const ends = [new AbortController(), new AbortController()];
    const over = wait(100, { clock, signals: ends.map(({ signal }) => signal) });
    ends[which]!.abort();
    expect(await over).toBe(false);
    expect(timers).toEqual(["set", "cancelled"]);
    expect(await wait(0, { clock, signals: ends.map(({ signal }) => signal) })).toBe(false);
    expect(timers).toEqual(["set", "cancelled"]);
  }
});

Deno.test("wait() does not wait where there is no time to wait for", async () => {
  expect(await wait(0, { clock: new ManualClock(), signals: [] })).toBe(true);
  expect(await wait(-5, { clock: new ManualClock(), signals: [] })).toBe(true);
});
