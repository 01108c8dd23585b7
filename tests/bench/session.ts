import { Child } from "./child.ts";
import { type Measures, median } from "./measures.ts";
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from "./proc.ts";
import type { Effort, Scenario } from "./scenarios.ts";

/** How one of the two servers is started. */
export interface System {
  readonly name: string;
  command(scenario: Scenario, certificates: string): readonly string[];
}

export interface Room {
  readonly client: readonly string[];
  readonly certificates: string;
  readonly openFiles: number;
  readonly signal: AbortSignal;
}

/** One fresh server, one fresh client, one scenario. Both are gone when it returns, however it returns. */
export async function runSession(
  system: System,
  scenario: Scenario,
  options: { effort: Effort; room: Room },
): Promise<Measures> {
  const { effort, room } = options;
  const children: Child[] = [];
  const stopAll = () => Promise.all(children.map((child) => child.stop()));
  room.signal.addEventListener("abort", stopAll, { once: true });
  try {
    room.signal.throwIfAborted();
    const server = Child.start(system.name, system.command(scenario, room.certificates), room);
    children.push(server);
    const { port } = await server.line();
    const client = Child.start("client", room.client, room);
    children.push(client);
    await client.ask("fleet", {
      address: `127.0.0.1:${port}`,
      tls: scenario.tls ? room.certificates : "",
      protocol: scenario.protocol,
      set: scenario.set,
      count: scenario.count,
      each: scenario.each,
      streams: scenario.streams,
      perConn: effort.streamsPerConnection,
      atOnce: 100,
      maxRefusals: MAX_REFUSALS,
    });
    return await new Session(server, client, { scenario, effort }).run();
  } catch (error) {
    room.signal.throwIfAborted(); // what broke, broke because we stopped it
    throw new Error(`${scenario.name} with ${system.name}`, { cause: error });
  } finally {
    room.signal.removeEventListener("abort", stopAll);
    await stopAll();
  }
}

/** A stream that only ever refuses falls silent after this many, so that a loop stays bounded. */
const MAX_REFUSALS = 100;
const REFUSE_MS = 2000;

class Session {
  readonly #server: Child;
  readonly #client: Child;
  readonly #scenario: Scenario;
  readonly #effort: Effort;
  readonly #measures: Measures = {};
  #generation = 0;

  constructor(server: Child, client: Child, options: { scenario: Scenario; effort: Effort }) {
    this.#server = server;
    this.#client = client;
    this.#scenario = options.scenario;
    this.#effort = options.effort;
  }

  async run(): Promise<Measures> {
    await this.#prepare("all");
    await this.#server.ask("commit");
    const wantsState = this.#scenario.steps.includes("state");
    const empty = wantsState ? await this.#settled() : 0;
    await this.#first();
    if (wantsState) this.#measures.statePerStream = (await this.#settled() - empty) / this.#scenario.streams;
    for (const step of this.#scenario.steps) {
      if (step === "pushAll") await this.#pushAll();
      else if (step === "pushOne") await this.#pushOne();
      else if (step === "reconnect") await this.#reconnect();
      else if (step === "churn") await this.#churn();
      else if (step === "refuse") await this.#refuse();
    }
    return this.#measures;
  }

  async #first(): Promise<void> {
    const use = this.#use();
    await this.#arm("all");
    const { at } = await this.#client.ask("connect");
    this.#measures.initialTime = await this.#wait(at);
    await this.#quietCpu();
    this.#measures.initialCpu = use.cpu();
    this.#measures.initialPeak = use.peak();
  }

  async #pushAll(): Promise<void> {
    const block = await this.#pushes("all");
    Object.assign(this.#measures, {
      pushAllTime: block.time,
      pushAllCpu: block.cpu,
      pushAllPeak: block.peak,
      pushAllQuiet: block.quiet,
    });
  }

  async #pushOne(): Promise<void> {
    const block = await this.#pushes("one");
    Object.assign(this.#measures, {
      pushOneTime: block.time,
      pushOneCpu: block.cpu,
      pushOnePeak: block.peak,
      pushOneResources: block.resources,
    });
  }

  /** Several pushes; the CPU of the quiet after them counts too, for putting memory in order is work. */
  async #pushes(
    change: "all" | "one",
  ): Promise<{ time: number; cpu: number; peak: number; quiet: number; resources: number }> {
    const times: number[] = [];
    const { pushes } = this.#effort;
    await this.#counters();
    const use = this.#use();
    for (let i = 0; i < pushes; i++) {
      await this.#prepare(change);
      await this.#arm(change);
      const { at } = await this.#server.ask("commit");
      times.push(await this.#wait(at));
      await pause(200); // a straggling answer must not fall into the next push
    }
    const peak = use.peak();
    await pause(this.#effort.quietMs);
    const quiet = residentBytes(this.#server.pid);
    const { resources } = await this.#counters();
    return { time: median(times), cpu: use.cpu() / pushes, peak, quiet, resources: resources / pushes };
  }

  async #reconnect(): Promise<void> {
    const use = this.#use();
    await this.#client.ask("arm", { any: true });
    const { at } = await this.#client.ask("reconnect");
    this.#measures.reconnectTime = await this.#wait(at);
    await this.#quietCpu();
    this.#measures.reconnectCpu = use.cpu();
    this.#measures.reconnectPeak = use.peak();
  }

  /** Many small changes one after the other: what counts is how late the last arrives and what it all costs. */
  async #churn(): Promise<void> {
    const { churnPerSecond: rate, churnSeconds: seconds } = this.#effort;
    const generation = this.#generation + 1;
    this.#generation += rate * seconds;
    await this.#counters();
    const use = this.#use();
    await this.#client.ask("arm", { generation, from: 0, changed: rate * seconds, step: true });
    const { at } = await this.#server.ask("churn", { rate, seconds, index: 0, generation });
    this.#measures.churnLag = await this.#wait(at);
    await this.#quietCpu();
    this.#measures.churnCpu = use.cpu();
    this.#measures.churnPeak = use.peak();
    this.#measures.churnResponses = (await this.#counters()).responses;
  }

  /** Every answer to one push is refused; a server that has nothing else to offer should say nothing more. */
  async #refuse(): Promise<void> {
    await this.#prepare("all");
    await this.#counters();
    await this.#client.ask("refuse", { on: true });
    await this.#server.ask("commit");
    await pause(REFUSE_MS);
    const { responses } = await this.#counters();
    if (responses < this.#scenario.streams) {
      throw new Error(`Only ${responses} streams got the answer that they should refuse`);
    }
    this.#measures.resent = responses - this.#scenario.streams;
  }

  async #prepare(change: "all" | "one"): Promise<void> {
    const generation = ++this.#generation;
    await this.#server.ask("prepare", {
      set: this.#scenario.set,
      count: this.#scenario.count,
      change,
      index: this.#index(),
      generation,
    });
  }

  async #arm(change: "all" | "one"): Promise<void> {
    await this.#client.ask("arm", {
      // A given version is a new version to everybody. Where streams want different parts chancery gives none, so that each
      // stream's version follows from its part; then the client looks into the answers of both servers.
      version: this.#scenario.each === 0 ? `v${this.#generation}` : "",
      generation: this.#generation,
      from: change === "all" ? 0 : this.#index(),
      changed: change === "all" ? this.#scenario.count : 1,
    });
  }

  #index(): number {
    return (this.#generation * 7) % this.#scenario.count;
  }

  /** Seconds from `since` (ms since the epoch) until the last stream had, and acknowledged, what was armed. */
  async #wait(since: unknown): Promise<number> {
    const { outcome } = await this.#client.ask("wait", { timeout: 60 });
    const { last, waited, missing, failures, failure } = outcome as Record<string, number>; // our own client's answer
    if (failures) throw new Error(`${failures} streams broke, the first with "${failure}"`);
    if (missing) throw new Error(`${missing} of ${waited} streams did not get what they should within 60 s`);
    return (Number(last) - Number(since)) / 1000;
  }

  async #counters(): Promise<{ responses: number; resources: number }> {
    const counters = await this.#client.ask("counters");
    return { responses: Number(counters.responses), resources: Number(counters.resources) };
  }

  #use(): { cpu: () => number; peak: () => number } {
    const { pid } = this.#server;
    resetPeak(pid);
    const before = cpuSeconds(pid);
    return { cpu: () => cpuSeconds(pid) - before, peak: () => peakBytes(pid) };
  }

  /** Until the server has worked off what follows an answer, 2 s at most. */
  async #quietCpu(): Promise<void> {
    for (let i = 0, before = -1; i < 10; i++) {
      const now = cpuSeconds(this.#server.pid);
      if (now === before) return;
      before = now;
      await pause(200);
    }
  }

  async #settled(): Promise<number> {
    await pause(this.#effort.quietMs);
    await this.#server.ask("settle");
    return residentBytes(this.#server.pid);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
