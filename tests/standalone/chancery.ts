/**
 * A `chancery standalone` as a child process, with every option open to the test.
 * @module
 */
import {
  eventually,
  type Fields,
  freePort,
  httpGet,
  type HttpResponse,
  ProcessSeries,
  type RunningProcess,
} from "../envoy/harness/mod.ts";
import { CLI } from "../program.ts";

/** Options of {@linkcode Chancery.start}. */
export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program that runs the one whose words follow its own. */
  readonly wrap?: readonly string[];
  /** Do not wait until it is ready. */
  readonly unready?: boolean;
}

/** Folders and ports of one standalone, and the process that uses them, again and again. Everything is gone with the scope. */
export class Chancery extends ProcessSeries {
  readonly folder: string = Deno.makeTempDirSync({ prefix: "chancery-" });
  readonly xdsPort = freePort();
  readonly adminPort = freePort();

  constructor(files: Readonly<Record<string, string | readonly Fields[]>> = {}) {
    super();
    Deno.mkdirSync(this.config);
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  /** The directory that is served. */
  get config(): string {
    return `${this.folder}/config`;
  }

  get data(): string {
    return `${this.folder}/data`;
  }

  /** The log lines of the newest process, parsed; lines that are no JSON are left out. */
  get log(): readonly Fields[] {
    return this.process.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  }

  write(name: string, content: string | readonly Fields[]): void {
    const text = typeof content === "string"
      ? content
      : content.map((one) => JSON.stringify(one, null, 2)).join("\n---\n");
    Deno.writeTextFileSync(`${this.config}/${name}`, text);
  }

  /** Starts a process on these folders and ports. */
  async start(options: StartOptions = {}): Promise<RunningProcess> {
    const [command = "", ...args] = [
      ...options.wrap ?? [],
      ...[Deno.execPath(), "run", "--quiet", "--allow-all", CLI, "standalone"],
      ...["--config", this.config, "--data", this.data],
      ...["--xds-bind", `127.0.0.1:${this.xdsPort}`, "--admin-bind", `127.0.0.1:${this.adminPort}`],
      ...["--log-format", "json", ...options.args ?? []],
    ];
    const process = this.launchProcess({
      name: "chancery",
      command,
      args,
      ...(options.env && { env: options.env }),
    });
    if (!options.unready) await this.ready();
    return process;
  }

  /** Waits until everything is loaded. */
  async ready(): Promise<void> {
    await this.wait("chancery to be ready", async () => {
      if (this.process.ended) throw new Error(`chancery ended with code ${this.process.ended.code}`);
      return (await this.get("/readyz")).status === 200;
    });
  }

  /** Waits until it has ended by itself, and gives the exit code. */
  async ended(): Promise<number> {
    return (await this.wait("chancery to end", () => this.process.ended)).code;
  }

  async get(path: string): Promise<HttpResponse> {
    return await httpGet({ port: this.adminPort }, path, { host: "localhost" });
  }

  async status(): Promise<Fields> {
    return JSON.parse((await this.get("/status")).body);
  }

  /** The findings of `/status`. */
  async findings(): Promise<readonly Fields[]> {
    return (await this.status())["findings"] as Fields[]; // its schema says so
  }

  async wait<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
    return await eventually(ask, { what, explain: () => this.process.tail() });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Runs another subcommand to its end. */
export async function chancery(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", CLI, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
