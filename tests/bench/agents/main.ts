/**
 * `deno task bench agents`: what the programs cost that run in every pod, from source and out of the one-file bundle, beside the
 * smallest server that Deno can run.
 * @module
 */
import { BARE, Ground, RunningAgent, type Subject, subjects } from "./agents.ts";
import { MemoryGroup } from "./memory_group.ts";

const HELP = `Usage: deno task bench agents [options]

Measures the agents that run in every pod: until they answer, memory when idle and after requests, and within 64 MB.

  --quick          three starts, 2,000 requests
  --starts N       starts of each
  --requests N     requests to each
  -o table|json`;

const MB = 1_000_000;
const LIMIT = 64 * 1024 * 1024;

/** What an agent is to stay below: to its first answer, and in memory. */
const TARGETS = { source: { ms: 50, bytes: 45 * MB }, bundle: { ms: undefined, bytes: 65 * MB } } as const;

/** What was measured of one subject; times in milliseconds, sizes in bytes; medians. */
export interface Figures {
  readonly name: string;
  readonly form: Subject["form"];
  /** Until it answers, or until it has ended. */
  readonly start: number;
  readonly resident: number;
  /** After half of the requests, and after all; absent for what ends by itself. */
  readonly loaded?: readonly [number, number];
  /** Requests that it answers in a second with 64 MB; absent where nothing can be limited. */
  readonly limited?: number;
}

interface Options {
  readonly starts: number;
  readonly requests: number;
  readonly json: boolean;
}

/** Runs it with the arguments behind `agents`; resolves with the exit status. */
export async function benchAgents(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (typeof options === "string") {
    console.error(options);
    return options === HELP ? 0 : 2;
  }
  await using ground = new Ground();
  const bundle = `${ground.folder}/chancery.js`;
  const script = new URL("../../../scripts/bundle.ts", import.meta.url).pathname;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", decodeURIComponent(script), bundle],
    stdout: "null",
  }).output();
  if (!success) throw new Error("Cannot measure the bundle: it was not made");
  const figures: Figures[] = [];
  for (const subject of [BARE, ...subjects("source"), ...subjects("bundle", bundle)]) {
    figures.push(await measure(subject, ground, options));
  }
  console.log(options.json ? JSON.stringify({ ...options, figures }, null, 2) : tableOf(figures));
  return 0;
}

async function measure(subject: Subject, ground: Ground, { starts, requests }: Options): Promise<Figures> {
  const { name, form } = subject;
  const times: number[] = [];
  const sizes: number[] = [];
  const ends = name === "init-manager";
  for (let i = 0; i <= starts; i++) {
    await using agent = new RunningAgent(subject, ground);
    const { ms, peak } = ends ? await agent.ends() : { ms: await agent.answers(), peak: 0 };
    if (!ends) await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (i === 0) continue; // caches are filled
    times.push(ms);
    sizes.push(ends ? peak : agent.resident());
  }
  const figures = { name, form, start: median(times), resident: median(sizes) };
  if (ends) return figures;
  await using agent = new RunningAgent(subject, ground);
  await agent.answers();
  await agent.ask(requests / 2);
  const half = agent.resident();
  await agent.ask(requests / 2);
  const loaded = [half, agent.resident()] as const;
  await using group = MemoryGroup.make(LIMIT);
  if (!group) return { ...figures, loaded };
  await using limited = new RunningAgent(subject, ground, group.folder);
  await limited.answers();
  const took = await limited.ask(requests / 2);
  return { ...figures, loaded, limited: requests / 2 / took * 1_000 };
}

function tableOf(figures: readonly Figures[]): string {
  const mb = (bytes: number) => (bytes / MB).toFixed(1);
  const lines = [["", "form", "start ms", "idle MB", "loaded MB, half and all", "answers/s within 64 MB", ""]];
  for (const { name, form, start, resident, loaded, limited } of figures) {
    const target = TARGETS[form];
    const met = resident < target.bytes && (target.ms === undefined || name === "init-manager" || start < target.ms);
    lines.push([
      name,
      form,
      start.toFixed(0),
      mb(resident),
      loaded ? loaded.map(mb).join(" ") : "–",
      limited?.toFixed(0) ?? "–",
      name === BARE.name ? "" : met ? "met" : "not met",
    ]);
  }
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd()).join("\n");
  return `${text}\n\nTargets: from source first answer below ${TARGETS.source.ms} ms and ${
    mb(TARGETS.source.bytes)
  } MB, ` +
    `out of the bundle ${mb(TARGETS.bundle.bytes)} MB; medians; init-manager: until it has ended, and its peak`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function optionsOf(args: readonly string[]): Options | string {
  let options: Options = args.includes("--quick")
    ? { starts: 3, requests: 2_000, json: false }
    : { starts: 11, requests: 40_000, json: false };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--quick") continue;
    if (arg === "-h" || arg === "--help") return HELP;
    const value = args[++i] ?? "";
    const count = Number(value);
    if (arg === "-o" && (value === "table" || value === "json")) options = { ...options, json: value === "json" };
    else if ((arg === "--starts" || arg === "--requests") && Number.isInteger(count) && count > 1) {
      options = { ...options, [arg.slice(2)]: count };
    } else return `Cannot understand "${arg} ${value}"\n\n${HELP}`;
  }
  return options;
}
