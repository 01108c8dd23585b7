import { type ProcessOptions, type RunningProcess, startProcess } from "./process.ts";

/** A program that is started again and again under one name. All processes are gone with the scope. */
export class ProcessSeries implements AsyncDisposable {
  readonly #processes: RunningProcess[] = [];

  /** The newest process. */
  get process(): RunningProcess {
    const newest = this.#processes.at(-1);
    if (!newest) throw new Error("nothing was started");
    return newest;
  }

  /** Everything that all processes wrote. */
  get output(): string {
    return this.#processes.flatMap(({ lines }) => lines).join("\n");
  }

  /** Ends the newest as Kubernetes does. @throws {Error} when it does not end cleanly */
  async stop(): Promise<void> {
    const { name } = this.process;
    const { code } = await this.process.stop();
    if (code !== 0) throw new Error(`${name} ended with code ${code} after SIGTERM\n${this.process.tail()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.#processes) await process[Symbol.asyncDispose]();
  }

  /** Starts another process. */
  protected launchProcess(options: ProcessOptions): RunningProcess {
    const process = startProcess(options);
    this.#processes.push(process);
    return process;
  }
}
