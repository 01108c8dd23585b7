import {
  eventually,
  type Fields,
  freePort,
  httpGet,
  type RunningEnvoy,
  type RunningStandalone,
  startEnvoy,
} from "../envoy/harness/mod.ts";
import { type ExampleState, statesOf, textOf } from "./example_folder.ts";

/** Options of {@linkcode Example.open}. */
export interface ExampleOptions {
  /** Ports of this machine that take the place of the example's; a free one where none is given. */
  readonly ports?: Readonly<Record<number, number>>;
  /** Other texts that take the place of the example's, such as names of hosts. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Objects that a cluster makes by itself. */
  readonly madeByCluster?: readonly Fields[];
}

/** An example that a standalone serves, among others. */
export class Example implements AsyncDisposable {
  readonly name: string;
  readonly chancery: RunningStandalone;
  readonly #states: readonly ExampleState[];
  readonly #ports: Map<number, number>;
  readonly #instead: Readonly<Record<string, string>>;
  #envoy: RunningEnvoy | undefined;

  private constructor(name: string, chancery: RunningStandalone, { ports = {}, instead = {} }: ExampleOptions) {
    this.name = name;
    this.chancery = chancery;
    this.#states = statesOf(name);
    this.#ports = new Map(Object.entries(ports).map(([port, here]) => [Number(port), here]));
    this.#instead = instead;
    for (const from of Object.keys(instead)) {
      if (!this.#states.some((state) => textOf(state).includes(from))) {
        throw new Error(`"${name}" says nothing of "${from}"`);
      }
    }
  }

  /** Has it served, the first step where it has steps, and starts an Envoy that asks for it. */
  static async open(name: string, chancery: RunningStandalone, options: ExampleOptions = {}): Promise<Example> {
    const example = new Example(name, chancery, options);
    if (options.madeByCluster) example.makeAsCluster(options.madeByCluster);
    example.apply(0);
    example.#envoy = await startEnvoy({ bootstrap: await chancery.bootstrap(example.#nodeId, "delta") });
    return example;
  }

  get envoy(): RunningEnvoy {
    return this.#envoy!; // open() started it
  }

  /** Name of its EnvoyConfig. */
  get config(): string {
    return this.#states[0]!.objects.find(({ kind }) => kind === "EnvoyConfig")!.name; // the checks are of examples that have one
  }

  get #nodeId(): string {
    return /^ {2}nodeID: (\S+)$/m.exec(textOf(this.#states[0]!))![1]!;
  }

  /** The port of this machine that takes the place of one of the example's. */
  port(number: number): number {
    const port = this.#ports.get(number) ?? freePort();
    this.#ports.set(number, port);
    return port;
  }

  /** Applies a step, counted from 0. */
  apply(step: number): void {
    const state = this.#states[step];
    if (!state) throw new Error(`Example "${this.name}" has no step ${step}`);
    let text = textOf(state);
    for (const [from, to] of Object.entries(this.#instead)) text = text.replaceAll(from, to);
    text = text.replaceAll(/(?<=port_value: )\d+/g, (port) => String(this.port(Number(port))));
    this.chancery.write(`${this.name}.yaml`, text);
  }

  /** Writes the objects that a cluster makes, in the place of those before. */
  makeAsCluster(objects: readonly Fields[]): void {
    this.chancery.write(`${this.name}.made.yaml`, objects);
  }

  /** What became of it: versions and state. */
  async state() {
    const { config, revisions } = await this.chancery.history(this.config);
    const { cacheState, publishedVersion, desiredVersion } = config.status;
    const desired = revisions.find(({ version }) => version === desiredVersion);
    return {
      cacheState,
      publishedVersion,
      desiredVersion,
      revisions: revisions.length,
      refusal: desired?.refusal?.message,
    };
  }

  /** What `/status` says is wrong with it. */
  async findings(): Promise<readonly string[]> {
    const { findings } = await this.chancery.status();
    return findings.map((finding) => JSON.stringify(finding)).filter((text) => text.includes(this.config));
  }

  /** Waits until nothing is wrong with it any more. */
  async sound(): Promise<void> {
    await this.wait("no findings", async () => (await this.findings()).length === 0);
  }

  /** Waits for a condition, and tells what there is to see if it does not come. */
  async wait<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
    return await eventually(ask, {
      what: `${what} (${this.name})`,
      deadlineMs: 60_000,
      explain: () => `${this.chancery.process.tail(15)}\n${this.#envoy?.process.tail(15) ?? ""}`,
    });
  }

  /** Waits until a page of Envoy on the example's port has this text. */
  async answers(port: number, text: string, path = "/"): Promise<void> {
    await this.wait(`"${text}"`, async () => (await httpGet({ port: this.port(port) }, path)).body.trim() === text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#envoy?.[Symbol.asyncDispose]();
  }
}
