import { eventually } from "./eventually.ts";

/** Options of {@linkcode startProcess}. */
export interface ProcessOptions {
  /** For messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it sees no other variables; default false. */
  readonly clearEnv?: boolean;
  /** The folder it starts in; ours when absent. */
  readonly cwd?: string;
}

/** A child process whose output is kept, and which is gone when the scope ends. */
export class RunningProcess implements AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** All lines of both outputs so far. */
  readonly lines: string[] = [];
  /** How it ended, once it has. */
  ended: Deno.CommandStatus | undefined;
  readonly #child: Deno.ChildProcess;
  readonly #finished: Promise<unknown>;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.#child = new Deno.Command(options.command, {
      args: [...options.args],
      env: { NO_COLOR: "1", ...options.env },
      clearEnv: options.clearEnv ?? false,
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.pid = this.#child.pid;
    this.#finished = Promise.all([
      this.#keep(this.#child.stdout),
      this.#keep(this.#child.stderr),
      this.#child.status.then((status) => this.ended = status),
    ]);
  }

  /** Sends a signal to the process itself, which has not ended. */
  signal(name: Deno.Signal): void {
    if (!this.ended) this.#child.kill(name);
  }

  /**
   * Asks it to end and waits until it has; kills it when it does not.
   * @throws {Error} when it had to be killed, which is a fault of the program
   */
  async stop(deadlineMs = 30_000): Promise<Deno.CommandStatus> {
    this.signal("SIGTERM");
    const gone = await eventually(() => this.ended, { what: `${this.name} to stop`, deadlineMs }).catch(() =>
      undefined
    );
    if (!gone) await this.kill();
    await this.#finished;
    if (!gone) throw new Error(`${this.name} did not stop within ${deadlineMs} ms after SIGTERM\n${this.tail()}`);
    return gone;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#finished;
  }

  /** The end of its output, for messages. */
  tail(count = 30): string {
    return this.lines.slice(-count).map((line) => `  ${this.name}| ${line}`).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #keep(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
    }
    if (rest !== "") this.lines.push(rest);
  }
}

/** Starts a process; see {@linkcode RunningProcess}. */
export function startProcess(options: ProcessOptions): RunningProcess {
  return new RunningProcess(options);
}
