import { expect } from "expect";
import { type Clock, ManualClock } from "../../base/mod.ts";
import { StandStill } from "./stand_still.ts";

function setUp() {
  const time = new ManualClock();
  const offset = { monotonic: 0, wall: 0 };
  const clock: Clock = {
    now: () => time.now() + offset.wall,
    monotonic: () => time.monotonic() + offset.monotonic,
    after: (ms, callback) => time.after(ms, callback),
  };
  const woke: number[] = [];
  return { time, offset, woke, still: new StandStill({ clock, onWake: (ms) => woke.push(ms) }) };
}

Deno.test("StandStill says nothing while time goes on as usual", () => {
  const { time, woke, still } = setUp();
  using _ends = still;
  for (let i = 0; i < 100; i++) {
    time.advance(499);
    still.look();
  }
  expect(woke).toEqual([]);
});

Deno.test("StandStill notices a gap at the first look, whoever looks, and once", () => {
  const { time, offset, woke, still } = setUp();
  using _ends = still;
  offset.monotonic = 3_000; // the process was stopped: no timer ran
  still.look();
  still.look();
  time.advance(5_000);
  expect(woke).toEqual([3_000]);
  offset.monotonic += 60_000;
  time.advance(500);
  expect(woke).toEqual([3_000, 60_500]);
});

Deno.test("StandStill notices a machine that slept with its monotonic clock standing still, too", () => {
  const { offset, woke, still } = setUp();
  using _ends = still;
  offset.wall = 3_600_000;
  still.look();
  offset.wall = 0; // and the clock set back is none
  still.look();
  expect(woke).toEqual([3_600_000]);
});
