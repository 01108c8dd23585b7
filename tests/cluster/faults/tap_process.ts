import type { Entry, Journal } from "../../faults/journal.ts";
import type { TapCommand, TapStart } from "./tap_main.ts";

/** The process with the clients of a run (`tap_main.ts`); what they say goes into the journal of the run. */
export class TapProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #read: Promise<void>;

  constructor(journal: Journal, start: Omit<TapStart, "origin">) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--allow-all", "--no-check", new URL("tap_main.ts", import.meta.url).pathname],
        JSON.stringify({ origin: journal.origin, ...start } satisfies TapStart),
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#read = this.#take(journal);
  }

  async tell(command: TapCommand): Promise<void> {
    await this.#input.write(new TextEncoder().encode(`${JSON.stringify(command)}\n`));
  }

  /** Ends the clients in good order. @throws {Error} when one of them broke the process */
  async end(): Promise<void> {
    await this.tell({ do: "end" });
    const { code } = await this.#child.status;
    await this.#read;
    if (code !== 0) throw new Error(`The clients of the run ended with code ${code}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#child.status;
    await this.#read;
    await this.#input.abort().catch(() => {});
  }

  async #take(journal: Journal): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) journal.take(JSON.parse(line) as Entry); // as tap_main.ts wrote it
    }
  }
}
