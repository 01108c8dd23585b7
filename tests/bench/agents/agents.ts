import { freePort } from "../../envoy/harness/mod.ts";
import { CLI } from "../../program.ts";
import { peakBytes, residentBytes } from "../proc.ts";

/** One agent in one form. */
export interface Subject {
  readonly name: string;
  /** How it is shipped. */
  readonly form: "source" | "bundle";
  /** Program and arguments; `port` is where it answers `/healthz`, if it does. */
  command(port: number, folder: string): readonly string[];
}

/** The program of the sources, or a bundle of it. */
export function subjects(form: Subject["form"], program: string = CLI): readonly Subject[] {
  const run = [Deno.execPath(), "run", "--quiet", "--allow-all", program];
  return [{
    name: "shutdown-manager",
    form,
    command: (port, folder) => [...run, "shutdown-manager", "--port", `${port}`, "--ready-file", `${folder}/ok`],
  }, {
    name: "loader",
    form,
    // Not the first run: nothing has changed since, as after most restarts.
    command: (port, folder) => [
      ...[...run, "loader", "--from", `${folder}/from`, "--output-dir", `${folder}/out`, "--layout", "runtime"],
      ...["--health-probe-bind-address", `127.0.0.1:${port}`],
    ],
  }, {
    name: "init-manager",
    form,
    command: (_port, folder) => [
      ...[...run, "init-manager", "--xdss-host", "marin3r-ds.shop.svc", "--config-file", `${folder}/config.json`],
      ...["--resources-path", folder],
    ],
  }];
}

/** The smallest server that Deno can run: what nobody can be below. */
export const BARE: Subject = {
  name: "empty server",
  form: "source",
  command: (port, folder) => {
    const file = `${folder}/bare.ts`;
    Deno.writeTextFileSync(file, `Deno.serve({ port: ${port}, onListen: () => {} }, () => new Response("OK"));\n`);
    return [Deno.execPath(), "run", "--quiet", "--allow-all", file];
  },
};

/** A folder that all subjects can start in, gone with its scope. */
export class Ground implements AsyncDisposable {
  readonly folder: string = Deno.makeTempDirSync({ prefix: "bench-agents-" });

  constructor() {
    Deno.mkdirSync(`${this.folder}/from`);
    Deno.writeTextFileSync(`${this.folder}/from/flag`, "1\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** An agent that runs. */
export class RunningAgent implements AsyncDisposable {
  readonly port = freePort();
  readonly #child: Deno.ChildProcess;
  readonly #began = performance.now();

  /** @param within the folder of a memory group that it is to run in */
  constructor(subject: Subject, ground: Ground, within?: string) {
    const [program = "", ...args] = subject.command(this.port, ground.folder);
    const options = {
      ...{ stdin: "null", stdout: "null", stderr: "null" } as const,
      env: { DENO_DIR: `${ground.folder}/deno` }, // what others have cached is mapped, too, and is in no pod
    };
    // A process is put into a group by its shell, so that it is in it from its first page on.
    const shell = ["-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', within ?? "", program, ...args];
    this.#child = new Deno.Command(within === undefined ? program : "sh", {
      args: within === undefined ? args : shell,
      ...options,
    }).spawn();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Milliseconds from its start until it answers. */
  async answers(deadlineMs = 30_000): Promise<number> {
    while (true) {
      try {
        using _connection = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
        return performance.now() - this.#began;
      } catch (error) {
        if (performance.now() - this.#began > deadlineMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  }

  /** Milliseconds from its start to its end, and the most memory that it had, in bytes. */
  async ends(): Promise<{ readonly ms: number; readonly peak: number }> {
    let peak = 0;
    let ended = false;
    const status = this.#child.status.finally(() => ended = true);
    while (!ended) {
      try {
        peak = Math.max(peak, peakBytes(this.pid));
      } catch {
        break; // it has just ended
      }
      await Promise.race([status, new Promise((resolve) => setTimeout(resolve, 2))]);
    }
    const { code } = await status;
    if (code !== 0) throw new Error(`Cannot measure: the program ended with code ${code}`);
    return { ms: performance.now() - this.#began, peak };
  }

  /** Bytes that it has in memory. */
  resident(): number {
    return residentBytes(this.pid);
  }

  /** Asks `/healthz` so many times, each by a connection of its own; gives the milliseconds that it took. */
  async ask(times: number): Promise<number> {
    const began = performance.now();
    let left = times;
    const request = new TextEncoder().encode("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    const client = async () => {
      const buffer = new Uint8Array(1024);
      while (left-- > 0) {
        using connection = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
        await connection.write(request);
        while (await connection.read(buffer) !== null);
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    return performance.now() - began;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // it has ended
    }
    await this.#child.status;
  }
}
