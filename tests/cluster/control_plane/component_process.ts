import type { Component } from "./component.ts";

/** How long a component may take to end by itself; an API server with open watches would take a minute. */
const GRACE_MS = 2000;
const READY_MS = 90_000;
const PROBE_MS = 40;

/** How to run a component. */
export interface ComponentCommand {
  readonly component: Component;
  /** Folder with the executables. */
  readonly binaries: string;
  /** Folder of the control plane; the log goes there. */
  readonly directory: string;
  readonly flags: readonly string[];
  /** Whether it does its work. Not asked when the process has ended. */
  readonly isReady: () => Promise<boolean>;
}

/** One component as a process, which can be stopped and started again with its data. */
export class ComponentProcess {
  readonly #command: ComponentCommand;
  #child: Deno.ChildProcess | undefined;

  constructor(command: ComponentCommand) {
    this.#command = command;
  }

  /** Starts it, unless it runs, and waits until it is ready. */
  async start(): Promise<void> {
    if (this.#child === undefined) this.#spawn();
    const deadline = Date.now() + READY_MS;
    while (!await this.#command.isReady().catch(() => false)) {
      if (this.#child === undefined) {
        throw new Error(`Cannot start ${this.#name}: it has ended; ${await this.#lastWords()}`);
      }
      if (Date.now() > deadline) {
        throw new Error(`Cannot start ${this.#name}: not ready after ${READY_MS / 1000} s; ${await this.#lastWords()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  }

  /** Sends the signal and waits for the end, which is forced after 2 s. Does nothing when it does not run. */
  async stop(signal: Deno.Signal): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const send = (each: Deno.Signal) => this.#child === child && child.kill(each);
    send(signal);
    send("SIGCONT"); // what is frozen hears of no other signal than KILL
    const force = setTimeout(() => send("SIGKILL"), GRACE_MS);
    await child.status;
    clearTimeout(force);
  }

  /** @throws {Error} when it does not run */
  signal(signal: Deno.Signal): void {
    if (this.#child === undefined) throw new Error(`Cannot send ${signal} to ${this.#name}: it does not run`);
    this.#child.kill(signal);
  }

  get #name(): string {
    return this.#command.component;
  }

  get #log(): string {
    return `${this.#command.directory}/${this.#name}.log`;
  }

  #spawn(): void {
    const { binaries, directory, flags } = this.#command;
    // The shell only opens the log. With setpriv (util-linux) the kernel ends the component even when we are killed.
    const script =
      'command -v setpriv >/dev/null && exec setpriv --pdeathsig KILL -- "$@" >>"$0" 2>&1; exec "$@" >>"$0" 2>&1';
    const child = new Deno.Command("sh", {
      args: ["-c", script, this.#log, `${binaries}/${this.#name}`, ...flags],
      cwd: directory,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#child = child;
    void child.status.then(() => {
      if (this.#child === child) this.#child = undefined;
    });
  }

  async #lastWords(): Promise<string> {
    const text = await Deno.readTextFile(this.#log).catch(() => "");
    return `the end of ${this.#log}:\n${text.trimEnd().split("\n").slice(-5).join("\n")}`;
  }
}
