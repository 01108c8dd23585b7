/** Longest request head that is read. */
const MAX_HEAD = 8192;

/**
 * The way out of the API server: an HTTP CONNECT proxy that knows at which address of this machine the processes behind a
 * Service listen, since nobody here programs the Services' addresses into the kernel.
 */
export class EgressProxy {
  readonly #listener: Deno.Listener;
  readonly #routes = new Map<string, string>();

  constructor(path: string) {
    this.#listener = Deno.listen({ transport: "unix", path });
    void this.#serve();
  }

  /** Sends what is meant for `from` to `to`, both `HOST:PORT`. */
  set(from: string, to: string): void {
    this.#routes.set(from, to);
  }

  delete(from: string): void {
    this.#routes.delete(from);
  }

  close(): void {
    this.#listener.close();
  }

  async #serve(): Promise<void> {
    for await (const client of this.#listener) void this.#tunnel(client).catch(() => {});
  }

  async #tunnel(client: Deno.Conn): Promise<void> {
    using _ = client;
    const { target, rest } = await readConnect(client);
    const { host, port } = parseAddress(this.#routes.get(target) ?? target);
    let server: Deno.TcpConn;
    try {
      server = await Deno.connect({ hostname: host, port });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await client.write(new TextEncoder().encode(`HTTP/1.1 502 ${reason.replaceAll(/\s+/g, " ")}\r\n\r\n`));
      return;
    }
    using _server = server;
    await client.write(new TextEncoder().encode("HTTP/1.1 200 Connected\r\n\r\n"));
    if (rest.length > 0) await server.write(rest);
    // Whoever ends first ends both: nothing of ours needs half-open connections.
    await Promise.race([
      client.readable.pipeTo(server.writable, { preventClose: true }),
      server.readable.pipeTo(client.writable, { preventClose: true }),
    ]);
  }
}

async function readConnect(client: Deno.Conn): Promise<{ target: string; rest: Uint8Array }> {
  const buffer = new Uint8Array(MAX_HEAD);
  let length = 0;
  while (length < MAX_HEAD) {
    const count = await client.read(buffer.subarray(length));
    if (count === null) break;
    length += count;
    const text = new TextDecoder("latin1").decode(buffer.subarray(0, length));
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(text)?.[1];
    if (target === undefined) break;
    return { target, rest: buffer.slice(end + 4, length) };
  }
  throw new Error("Cannot read the request of the API server: it is no CONNECT");
}

/** `127.0.0.1:80` or `[::1]:80`. */
function parseAddress(address: string): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
}
