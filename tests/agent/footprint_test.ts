import { expect } from "expect";
import { BARE, Ground, RunningAgent, type Subject, subjects } from "../bench/agents/agents.ts";
import { MemoryGroup } from "../bench/agents/memory_group.ts";
import { CLI } from "../program.ts";

const MB = 1_000_000;
/** From source: so many milliseconds to its first answer, or so many times what the smallest server takes on a slower machine. */
const START = { ms: 50, times: 2.5 };
/** More than the smallest server that Deno can run; a bundle of everything is read as a whole. */
const MORE_BYTES = CLI.endsWith(".ts") ? 12 * MB : 32 * MB;

/** The shortest of several starts, until one is short enough. */
async function shortest(subject: Subject, ground: Ground, enough: number): Promise<number> {
  let best = Infinity;
  for (let tries = 0; tries < 12 && best > enough; tries++) {
    await using agent = new RunningAgent(subject, ground);
    best = Math.min(best, await agent.answers());
  }
  return best;
}

Deno.test("a shutdown manager starts at once, is small, stays so under load, and works within 64 MB", async () => {
  await using ground = new Ground();
  const manager = subjects("source").find(({ name }) => name === "shutdown-manager")!;
  let small = 0;
  {
    await using bare = new RunningAgent(BARE, ground);
    await bare.answers();
    await bare.ask(10);
    small = bare.resident();
  }
  // Where others take the processors, the time on the wall says nothing of ours.
  if (CLI.endsWith(".ts") && Deno.loadavg()[0]! <= navigator.hardwareConcurrency) {
    const limit = Math.max(START.ms, START.times * await shortest(BARE, ground, START.ms / START.times));
    expect(await shortest(manager, ground, limit)).toBeLessThanOrEqual(limit);
  }

  await using agent = new RunningAgent(manager, ground);
  await agent.answers();
  await agent.ask(10);
  expect(agent.resident()).toBeLessThan(small + MORE_BYTES);
  await agent.ask(4_000);
  const half = agent.resident();
  await agent.ask(4_000);
  expect(agent.resident()).toBeLessThan(half + 6 * MB);

  await using group = MemoryGroup.make(64 * 1024 * 1024);
  if (!group) return; // not on this machine
  await using limited = new RunningAgent(manager, ground, group.folder);
  await limited.answers();
  await limited.ask(500);
});
