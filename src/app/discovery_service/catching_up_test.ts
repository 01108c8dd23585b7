import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import { CatchingUp } from "./catching_up.ts";

/** A hub that notes what it is told, and questions to the API server that are answered by hand. */
function setUp() {
  const said: string[] = [];
  const questions: { signal: AbortSignal; answer(): void; fail(): void }[] = [];
  const clock = new ManualClock();
  const catching = new CatchingUp({
    hub: { pause: () => said.push("pause"), resume: () => said.push("resume") },
    caughtUp: (signal) =>
      new Promise((resolve, reject) =>
        questions.push({ signal, answer: () => resolve(), fail: () => reject(new Error("no answer")) })
      ),
    idle: () => Promise.resolve(),
    clock,
    log: createLogger({ now: () => 0, write() {} }),
  });
  return { said, questions, clock, catching };
}

async function turn(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

Deno.test("CatchingUp keeps the hub silent until what happened meanwhile is known", async () => {
  const { said, questions, clock, catching } = setUp();
  using _ends = catching;
  catching.woke(30_000);
  await turn();
  expect([said, catching.pausedSince]).toEqual([["pause"], clock.now()]);
  questions[0]!.answer();
  await turn();
  expect([said, catching.pausedSince]).toEqual([["pause", "resume"], undefined]);
});

Deno.test("CatchingUp asks again while there is no answer", async () => {
  const { said, questions, clock, catching } = setUp();
  using _ends = catching;
  catching.woke(30_000);
  questions[0]!.fail();
  await turn();
  expect([said, questions.length]).toEqual([["pause"], 1]);
  clock.advance(1_000);
  await turn();
  questions[1]!.answer();
  await turn();
  expect(said).toEqual(["pause", "resume"]);
});

Deno.test("CatchingUp does not count an answer from before the process stood still once more", async () => {
  const { said, questions, catching } = setUp();
  using _ends = catching;
  catching.woke(5_000);
  catching.woke(5_000);
  expect([questions.length, questions[0]!.signal.aborted]).toEqual([2, true]);
  questions[0]!.answer();
  await turn();
  expect(said).toEqual(["pause", "pause"]);
  questions[1]!.answer();
  await turn();
  expect(said).toEqual(["pause", "pause", "resume"]);
});

Deno.test("CatchingUp leaves nothing behind when it ends", async () => {
  const { said, questions, catching } = setUp();
  catching.woke(5_000);
  questions[0]!.fail();
  await turn();
  catching[Symbol.dispose]();
  await turn();
  catching.woke(5_000);
  expect([said, questions.length]).toEqual([["pause"], 1]);
});
