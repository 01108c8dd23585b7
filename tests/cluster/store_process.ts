import type { Report } from "./store_child.ts";

/** A process that holds a store (`store_child.ts`). */
export class StoreProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #rest = "";

  constructor(options: { kubeconfig: string; namespace: string; kind: string; needed?: readonly string[] }) {
    const { kubeconfig, namespace, kind, needed = [] } = options;
    const script = new URL("./store_child.ts", import.meta.url).pathname;
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-check",
        "--allow-all",
        "--v8-flags=--expose-gc",
        script,
        kubeconfig,
        namespace,
        kind,
        needed.join(","),
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Asks one thing; `search` counts a text in the heap, `caughtUp` waits until nothing is missing. */
  async ask(verb: "report" | "caughtUp" | "search", text = ""): Promise<Report> {
    // encoded, so that the question itself is not what is found
    await this.#input.write(new TextEncoder().encode(`${verb} ${btoa(text)}\n`));
    while (!this.#rest.includes("\n")) {
      const { value, done } = await this.#output.read();
      if (done) throw new Error("The process with the store has ended");
      this.#rest += value;
    }
    const [line = "", ...rest] = this.#rest.split("\n");
    this.#rest = rest.join("\n");
    return JSON.parse(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // it may have ended by itself
    for (;;) {
      const { done } = await this.#output.read();
      if (done) break;
    }
    await this.#child.status;
  }
}
