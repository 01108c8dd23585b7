import type { Forward } from "./forwards.ts";
import type { ProxyOrder } from "./proxy_main.ts";

const MAIN = new URL("proxy_main.ts", import.meta.url).pathname;

/** The proxy process of a node; see `proxy_main.ts`. */
export class ServiceProxy implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #answers: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #last = "";
  #unanswered = 0;

  /** Starts the proxy in the network namespace of the node, whose name is also the namespace's. */
  constructor(instance: string) {
    this.#child = new Deno.Command("nsenter", {
      // A session of its own: what ends the test together with its group must not end the one who cleans up.
      args: [
        `--net=/run/netns/${instance}`,
        "setsid",
        Deno.execPath(),
        "run",
        "--quiet",
        "--allow-all",
        "--no-check",
        MAIN,
        instance,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#answers = this.#child.stdout.getReader();
  }

  /** Puts a table in force; resolves when it is. */
  async apply(forwards: readonly Forward[]): Promise<void> {
    const line = JSON.stringify({ forwards } satisfies ProxyOrder);
    if (line === this.#last) return;
    this.#last = line;
    this.#unanswered++;
    await this.#writer.write(new TextEncoder().encode(`${line}\n`));
    while (this.#unanswered > 0) {
      const { value, done } = await this.#answers.read();
      if (done) throw new Error("Cannot reach Services any more: their proxy has ended");
      this.#unanswered -= value.length;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const goodbye = `${JSON.stringify({ goodbye: true } satisfies ProxyOrder)}\n`;
    // It may have ended already.
    await this.#writer.write(new TextEncoder().encode(goodbye)).catch(() => {});
    await this.#writer.close().catch(() => {});
    while (!(await this.#answers.read()).done);
    await this.#child.status;
  }
}
