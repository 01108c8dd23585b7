/** A program that is asked by JSON lines and ends with its standard input, so that none outlives the benchmark. */
export class Child {
  readonly name: string;
  readonly pid: number;
  #process: Deno.ChildProcess;
  #input: WritableStreamDefaultWriter<Uint8Array>;
  #lines: ReadableStreamDefaultReader<string>;
  #rest = "";
  #next = 1;

  private constructor(name: string, process: Deno.ChildProcess) {
    this.name = name;
    this.pid = process.pid;
    this.#process = process;
    this.#input = process.stdin.getWriter();
    this.#lines = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** `openFiles`: how many it must be able to have open; the shell raises the limit and then becomes the program. */
  static start(name: string, command: readonly string[], options: { openFiles: number; cwd?: string }): Child {
    const script = `ulimit -S -n ${options.openFiles} && exec "$@"`;
    const process = new Deno.Command("sh", {
      args: ["-c", script, "sh", ...command],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    }).spawn();
    return new Child(name, process);
  }

  /** The next line the program writes; an answer that says `error` is thrown. */
  async line(seconds = 90): Promise<Record<string, unknown>> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`No answer from ${this.name} within ${seconds} s`)),
      seconds * 1000,
    );
    try {
      for (;;) {
        const end = this.#rest.indexOf("\n");
        if (end >= 0) {
          const line = this.#rest.slice(0, end);
          this.#rest = this.#rest.slice(end + 1);
          return answerOf(this.name, line);
        }
        const chunk = await Promise.race([this.#lines.read(), late.promise]);
        if (chunk.done) throw new Error(`${this.name} ended while it was asked`);
        this.#rest += chunk.value;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async ask(cmd: string, options: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = this.#next++;
    await this.#input.write(new TextEncoder().encode(`${JSON.stringify({ id, cmd, ...options })}\n`));
    const answer = await this.line();
    if (answer.id !== id) throw new Error(`${this.name} answered another question than "${cmd}"`);
    return answer;
  }

  /** Ends the program; harmless when it is over. */
  async stop(): Promise<void> {
    try {
      this.#process.kill("SIGKILL"); // nothing in it is worth saving, and memory comes back at once
    } catch {
      // It ended by itself.
    }
    await this.#process.status;
    await this.#input.abort().catch(() => {});
    await this.#lines.cancel().catch(() => {});
  }
}

function answerOf(name: string, line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null) throw new Error(`${name} wrote "${line}"`);
  const answer = value as Record<string, unknown>; // an object with string keys, as all JSON objects
  if (typeof answer.error === "string") throw new Error(`${name}: ${answer.error}`);
  return answer;
}
