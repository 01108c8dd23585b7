import { expect } from "expect";
import { listenToSignals } from "./signals.ts";

/** Sends signals to this very process and waits until each has arrived. */
async function told(signals: readonly Deno.Signal[]): Promise<string[]> {
  const said: string[] = [];
  let arrived = () => {};
  const say = (what: string) => {
    said.push(what);
    arrived();
  };
  using _listening = listenToSignals({
    reload: () => say("reload"),
    stop: (signal) => say(`stop ${signal}`),
    stopNow: (signal) => say(`stopNow ${signal}`),
  });
  const alive = setInterval(() => {}, 1000); // a signal listener alone does not keep the event loop running
  for (const signal of signals) {
    const seen = new Promise<void>((resolve) => arrived = resolve);
    Deno.kill(Deno.pid, signal);
    await seen;
  }
  clearInterval(alive);
  return said;
}

// SIGINT would end the test runner; that it does the same is proven with the whole program.
Deno.test("listenToSignals() reloads with SIGHUP, stops with the first SIGTERM, and at once with the second", async () => {
  expect(await told(["SIGHUP", "SIGTERM", "SIGHUP", "SIGTERM", "SIGTERM"])).toEqual([
    "reload",
    "stop SIGTERM",
    "reload",
    "stopNow SIGTERM",
    "stopNow SIGTERM",
  ]);
});
