import { expect } from "expect";
import { wait } from "../base/mod.ts";
import { agentClock, callAfter } from "./agent_clock.ts";

Deno.test("agentClock calls back in the order of time, and not what was cancelled", async () => {
  const called: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  agentClock.after(40, () => {
    called.push("third");
    resolve();
  });
  agentClock.after(20, () => called.push("second"));
  agentClock.after(0, () => called.push("first"));
  const cancel = agentClock.after(10, () => called.push("cancelled"));
  cancel();
  cancel();
  await promise;
  expect(called).toEqual(["first", "second", "third"]);
});

Deno.test("agentClock keeps a process alive for what is waited for, and for nothing that was cancelled", async () => {
  const clock = JSON.stringify(new URL("./agent_clock.ts", import.meta.url).href);
  const run = async (code: string) => {
    const { stdout, success } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", `import { agentClock, callAfter } from ${clock};\n${code}`],
      stderr: "inherit",
    }).output();
    return [success, new TextDecoder().decode(stdout)];
  };
  expect(await run(`agentClock.after(50, () => console.log("late"));`)).toEqual([true, "late\n"]);
  expect(await run(`agentClock.after(3_600_000, () => {})();`)).toEqual([true, ""]);
});

Deno.test("agentClock waits no shorter than it is told to, as a fraction of a millisecond and for ever", async () => {
  const begun = agentClock.monotonic();
  expect(await wait(10.5, { clock: agentClock, signals: [] })).toBe(true);
  expect(agentClock.monotonic() - begun).toBeGreaterThanOrEqual(10);
  const stop = new AbortController();
  const waiting = wait(Infinity, { clock: agentClock, signals: [stop.signal] });
  stop.abort();
  expect(await waiting).toBe(false);
});

Deno.test("callAfter() goes on where one signal would last too long, and can be told to stop on the way", async () => {
  const begun = performance.now();
  await new Promise<void>((resolve) => callAfter(30, resolve, 4));
  expect(performance.now() - begun).toBeGreaterThanOrEqual(30);
  const called: string[] = [];
  const cancel = callAfter(30, () => called.push("cancelled"), 4);
  await new Promise<void>((resolve) => callAfter(15, resolve, 4));
  cancel();
  await new Promise<void>((resolve) => callAfter(40, resolve, 4));
  expect(called).toEqual([]);
});
