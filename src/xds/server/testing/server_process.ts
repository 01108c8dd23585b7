import type { TlsMaterial } from "../tls/mod.ts";

/** A server in another process. */
export class ServerProcess {
  readonly port: number;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;

  private constructor(child: Deno.ChildProcess, input: WritableStreamDefaultWriter<Uint8Array>, port: number) {
    this.#child = child;
    this.#input = input;
    this.port = port;
  }

  static async start(tls?: TlsMaterial): Promise<ServerProcess> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", new URL("./echo_server.ts", import.meta.url).pathname],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const input = child.stdin.getWriter();
    await input.write(new TextEncoder().encode(`${tls ? JSON.stringify(tls) : ""}\n`));
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    return new ServerProcess(child, input, Number(new TextDecoder().decode(value)));
  }

  /** Ends it; resolves with what it ended with: 0, unless it ended before. */
  async stop(): Promise<{ code: number; signal: string | null }> {
    await this.#input.close().catch(() => {});
    await this.#child.stdout.cancel();
    const { code, signal } = await this.#child.status;
    return { code, signal };
  }
}
