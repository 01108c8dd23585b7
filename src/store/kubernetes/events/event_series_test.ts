import { expect } from "expect";
import fc from "fast-check";
import type { StoreEvent } from "../../store.ts";
import { EventSeries } from "./event_series.ts";

const MINUTE = 60_000;

function event(reason: string, message = "m", name = "a"): StoreEvent {
  return { about: { kind: "EnvoyConfig", namespace: "demo", name }, type: "Warning", reason, message };
}

Deno.test("the first of a reason is due at once, what follows a minute after it was written", () => {
  const series = new EventSeries();
  series.note(event("RolledBack", "one"), 0);
  const due = series.due(0)!;
  expect(due.series).toMatchObject({ count: 1, firstAt: 0, event: { message: "one" } });
  series.written(due.id, { name: "a.1", count: 1, now: 10 });
  expect(series.due(10)).toBeUndefined();
  expect(series.nextAt()).toBeUndefined();
  series.note(event("RolledBack", "two"), 20);
  series.note(event("RolledBack", "three"), 30);
  expect(series.due(1000)).toBeUndefined();
  expect(series.nextAt()).toBe(10 + MINUTE);
  expect(series.due(10 + MINUTE)!.series).toMatchObject({
    name: "a.1",
    count: 3,
    lastAt: 30,
    event: { message: "three" },
  });
});

Deno.test("what happens while it is written is written next time", () => {
  const series = new EventSeries();
  series.note(event("RolledBack"), 0);
  const { id, series: { count } } = series.due(0)!;
  series.note(event("RolledBack"), 1);
  series.written(id, { name: "a.1", count, now: 2 });
  expect(series.due(2 + MINUTE)!.series.count).toBe(2);
});

Deno.test("a write that fails is tried again a few times, a minute apart", () => {
  const series = new EventSeries();
  series.note(event("RolledBack"), 0);
  let tries = 0;
  for (let now = 0; now < 20 * MINUTE; now += 1000) {
    const due = series.due(now);
    if (!due) continue;
    tries++;
    series.failed(due.id, now);
  }
  expect(tries).toBe(5);
});

Deno.test("after ten quiet minutes the same thing is a new series", () => {
  const series = new EventSeries();
  series.note(event("RolledBack"), 0);
  series.written(series.due(0)!.id, { name: "a.1", count: 1, now: 0 });
  series.note(event("Published"), 10 * MINUTE);
  series.note(event("RolledBack"), 10 * MINUTE);
  expect(series.due(10 * MINUTE)!.series.name).toBeUndefined();
});

Deno.test("a thousand series are remembered, not more", () => {
  const series = new EventSeries();
  for (let i = 0; i < 3000; i++) series.note(event("RolledBack", "m", `c${i}`), i);
  let due = 0;
  for (let next = series.due(3000); next; next = series.due(3000)) {
    due++;
    series.written(next.id, { name: "n", count: next.series.count, now: 3000 });
  }
  expect(due).toBe(1000);
});

Deno.test("however it happens, a series is written at most once a minute and the last count is right", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("A", "B"), fc.nat({ max: 90_000 })), { maxLength: 200 });
  fc.assert(fc.property(steps, (happenings) => {
    const series = new EventSeries();
    const written = new Map<string, { at: number; count: number }>();
    const happened = new Map<string, number>();
    let now = 0;
    const write = () => {
      for (let due = series.due(now); due; due = series.due(now)) {
        const before = written.get(due.id);
        if (before) expect(now - before.at).toBeGreaterThanOrEqual(MINUTE);
        written.set(due.id, { at: now, count: due.series.count });
        series.written(due.id, { name: due.id, count: due.series.count, now });
      }
    };
    for (const [reason, wait] of happenings) {
      now += wait;
      series.note(event(reason), now);
      happened.set(reason, (happened.get(reason) ?? 0) + 1);
      write();
    }
    now += MINUTE;
    write();
    const counts = new Map([...written].map(([id, { count }]) => [id.split(" ")[1]!, count]));
    expect(counts).toEqual(happened);
  }));
});
