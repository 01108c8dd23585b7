import { findEnvoy } from "../../../scripts/envoy/mod.ts";
import { eventually, Hopeless } from "./eventually.ts";
import { httpGet } from "./http_connection.ts";
import { type RunningProcess, startProcess } from "./process.ts";

/** Options of {@linkcode startEnvoy}. */
export interface EnvoyOptions {
  /** The document as `chancery bootstrap` prints it. The admin address is replaced. */
  readonly bootstrap: Record<string, unknown>;
  /** Seconds a changed listener's connections may live on; Envoy's default 600 when absent. */
  readonly drainSeconds?: number;
  /** More of its command line. */
  readonly args?: readonly string[];
}

/** A real Envoy with its admin interface on a free port. */
export class RunningEnvoy implements AsyncDisposable {
  readonly process: RunningProcess;
  readonly adminPort: number;
  readonly #folder: string;

  constructor(process: RunningProcess, adminPort: number, folder: string) {
    this.process = process;
    this.adminPort = adminPort;
    this.#folder = folder;
  }

  /** The body of an admin page. */
  async admin(path: string): Promise<string> {
    const { status, body } = await httpGet({ port: this.adminPort }, path);
    if (status !== 200) throw new Error(`Envoy's admin page "${path}" answers ${status}: ${body.slice(0, 200)}`);
    return body;
  }

  /** Whether all initial configuration has come. */
  async ready(): Promise<boolean> {
    return (await httpGet({ port: this.adminPort }, "/ready")).status === 200;
  }

  /** Values of the counters and gauges whose names match the regular expression. */
  async stats(filter: string): Promise<Map<string, number>> {
    const text = await this.admin(`/stats?format=text&filter=${encodeURIComponent(filter)}`);
    return new Map(
      text.split("\n").filter((line) => /: \d+$/.test(line)).map((line) => {
        const colon = line.lastIndexOf(": ");
        return [line.slice(0, colon), Number(line.slice(colon + 2))];
      }),
    );
  }

  /** One counter or gauge; 0 while Envoy does not have it. */
  async stat(name: string): Promise<number> {
    return (await this.stats(`^${name.replaceAll(".", "\\.")}$`)).get(name) ?? 0;
  }

  /** Everything that Envoy holds, as JSON text. */
  async configDump(): Promise<string> {
    return await this.admin("/config_dump?include_eds");
  }

  /** Names of the clusters it knows, sorted. */
  async clusterNames(): Promise<string[]> {
    const lines = (await this.admin("/clusters")).split("\n");
    return [...new Set(lines.map((line) => line.split("::")[0]!).filter((name) => name !== ""))].sort();
  }

  /** Asks it to end and waits until it has. */
  async stop(): Promise<void> {
    await this.process.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** Starts a real Envoy and waits until its admin interface answers. */
export async function startEnvoy(options: EnvoyOptions): Promise<RunningEnvoy> {
  const command = await findEnvoy((line) => console.error(line));
  const folder = await Deno.makeTempDir({ prefix: "envoy-" });
  const bootstrap = {
    ...options.bootstrap,
    admin: { address: { socket_address: { address: "127.0.0.1", port_value: 0 } } },
  };
  await Deno.writeTextFile(`${folder}/bootstrap.json`, JSON.stringify(bootstrap));
  const process = startProcess({
    name: "envoy",
    command,
    args: [
      "-c",
      `${folder}/bootstrap.json`,
      "--admin-address-path",
      `${folder}/admin`,
      // Several Envoys on one machine must not take each other for an older self.
      "--disable-hot-restart",
      "--concurrency",
      "1",
      "--log-level",
      "info",
      ...(options.drainSeconds === undefined ? [] : ["--drain-time-s", String(options.drainSeconds)]),
      ...options.args ?? [],
    ],
  });
  try {
    const adminPort = await eventually(async () => {
      if (process.ended) throw new Hopeless(`Envoy ended with code ${process.ended.code}`);
      return Number(/:(\d+)$/.exec(await Deno.readTextFile(`${folder}/admin`))?.[1]) || undefined;
    }, { what: "Envoy's admin interface", explain: () => process.tail() });
    return new RunningEnvoy(process, adminPort, folder);
  } catch (error) {
    await process.kill();
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}
