import { expect } from "expect";
import fc from "fast-check";
import { ChanceryError, ManualClock } from "../../base/mod.ts";
import { WorkQueue, type WorkQueueOptions } from "./work_queue.ts";

/** A queue whose work waits until the test lets it go. */
function manual(options: Partial<WorkQueueOptions> = {}) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const started: string[] = [];
  const running: { key: string; finish: (error?: unknown) => void }[] = [];
  const work = (key: string) => {
    started.push(key);
    return new Promise<void>((resolve, reject) => {
      running.push({ key, finish: (error) => error === undefined ? resolve() : reject(error) });
    });
  };
  const queue = new WorkQueue({ clock, work, signal: stop.signal, random: () => 0, ...options });
  const turn = () =>
    new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(resolve))));
  const finish = async (key: string, error?: unknown) => {
    const index = running.findIndex((one) => one.key === key);
    running.splice(index, 1)[0]!.finish(error);
    for (let i = 0; i < 4; i++) await turn();
  };
  return { queue, clock, stop, started, running, turn, finish };
}

Deno.test("WorkQueue works on a key once for many asks", async () => {
  const { queue, started, turn, finish } = manual();
  queue.add("a");
  queue.add("a");
  await turn();
  expect(started).toEqual(["a"]);
  await finish("a");
  expect(started).toEqual(["a"]);
  expect(queue.size).toBe(0);
});

Deno.test("WorkQueue works on a key once more when it was asked for meanwhile", async () => {
  const { queue, started, turn, finish } = manual({ concurrency: 4 });
  queue.add("a");
  await turn();
  queue.add("a");
  queue.add("a");
  await turn();
  expect(started).toEqual(["a"]);
  await finish("a");
  expect(started).toEqual(["a", "a"]);
  await finish("a");
  expect(queue.size).toBe(0);
});

Deno.test("WorkQueue bounds how many keys are worked on at once, in order of arrival", async () => {
  const { queue, started, turn, finish } = manual({ concurrency: 2 });
  for (const key of ["a", "b", "c", "d"]) queue.add(key);
  await turn();
  expect(started).toEqual(["a", "b"]);
  await finish("b");
  expect(started).toEqual(["a", "b", "c"]);
});

Deno.test("WorkQueue retries with growing delay, each key for itself, and forgets after success", async () => {
  const failures: (number | undefined)[] = [];
  const { queue, clock, started, turn, finish } = manual({
    backoff: { baseMs: 100, maxMs: 300 },
    onError: (_key, { retryInMs }) => failures.push(retryInMs),
  });
  queue.add("a");
  await turn();
  for (const wanted of [100, 200, 300, 300]) {
    await finish("a", new Error("no"));
    expect(failures.at(-1)).toBe(wanted);
    clock.advance(wanted - 1);
    await turn();
    const before = started.length;
    clock.advance(1);
    await turn();
    expect(started.length).toBe(before + 1);
  }
  await finish("a");
  expect(queue.failing).toBe(0);
  queue.add("a");
  await turn();
  await finish("a", new Error("no"));
  expect(failures.at(-1)).toBe(100);
});

Deno.test("WorkQueue does not retry what cannot succeed", async () => {
  const failures: unknown[] = [];
  const { queue, turn, finish } = manual({ onError: (key, failure) => failures.push({ key, ...failure }) });
  queue.add("a");
  await turn();
  const error = new ChanceryError("invalid-input", "Cannot do that");
  await finish("a", error);
  expect(failures).toEqual([{ key: "a", error }]);
  expect(queue.size).toBe(0);
});

Deno.test("WorkQueue takes jitter off the delay", async () => {
  const delays: (number | undefined)[] = [];
  const { queue, turn, finish, stop } = manual({
    backoff: { baseMs: 100, maxMs: 100, jitter: 0.5 },
    random: () => 0.5,
    onError: (_key, { retryInMs }) => delays.push(retryInMs),
  });
  queue.add("a");
  await turn();
  await finish("a", new Error("no"));
  expect(delays).toEqual([75]);
  stop.abort();
});

Deno.test("WorkQueue brings a key back when it asks for that, and earlier when something happens", async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  let runs = 0;
  const work = () => Promise.resolve(runs++ === 0 ? { requeueAfterMs: 1000 } : undefined);
  const queue = new WorkQueue({ clock, work, signal: stop.signal, random: () => 0 });
  queue.add("a");
  await queue.idle();
  expect([runs, queue.size]).toEqual([1, 1]);
  clock.advance(1000);
  await queue.idle();
  expect([runs, queue.size]).toEqual([2, 0]);
  queue.addAfter("a", 500);
  queue.add("a");
  await queue.idle();
  clock.advance(500);
  await queue.idle();
  expect(runs).toBe(3);
});

Deno.test("WorkQueue drops what waits when it is stopped, and idle() resolves after the last work", async () => {
  const { queue, stop, started, turn, finish } = manual();
  queue.add("a");
  queue.add("b");
  queue.addAfter("c", 10);
  await turn();
  stop.abort();
  queue.add("d");
  let idle = false;
  const waited = queue.idle().then(() => idle = true);
  await turn();
  expect(idle).toBe(false);
  await finish("a");
  await waited;
  expect(started).toEqual(["a"]);
  expect(queue.size).toBe(0);
});

Deno.test("WorkQueue never works on a key twice at a time, and always looks after the last ask", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("add", "finish", "fail", "later")), {
      maxLength: 40,
    }),
    fc.integer({ min: 1, max: 3 }),
    async (steps, concurrency) => {
      const { queue, clock, stop, started, running, turn, finish } = manual({ concurrency });
      const unseen = new Set<string>();
      let seen = 0;
      const look = () => {
        for (const key of started.slice(seen)) unseen.delete(key);
        seen = started.length;
        const keys = running.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.length).toBeLessThanOrEqual(concurrency);
      };
      for (const [key, step] of steps) {
        if (step === "add") {
          unseen.add(key);
          queue.add(key);
        } else if (step === "later") clock.advance(50);
        else if (running.some((one) => one.key === key)) {
          await finish(key, step === "fail" ? new Error("no") : undefined);
        }
        await turn();
        look();
      }
      while (running.length > 0) {
        await finish(running[0]!.key);
        look();
      }
      expect([...unseen]).toEqual([]);
      stop.abort();
      expect(queue.size).toBe(0);
    },
  ));
});
