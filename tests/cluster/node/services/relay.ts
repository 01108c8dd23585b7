/** How long a connection may take to be made. */
const CONNECT_TIMEOUT_MS = 2000;

/** Listens, and sends each connection on to the first target that takes it. */
export class Relay implements AsyncDisposable {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #targets: () => readonly string[];
  readonly #open = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #serving: Promise<void>;

  /** `targets` gives `HOST:PORT`s in the order in which they are to be tried, for each connection anew. */
  constructor(listen: { readonly hostname: string; readonly port: number }, targets: () => readonly string[]) {
    this.#listener = Deno.listen(listen);
    this.port = this.#listener.addr.port;
    this.#targets = targets;
    this.#serving = this.#serve();
  }

  /** Stops listening; what is connected stays so. */
  close(): void {
    this.#listener.close();
  }

  /** Ends connections too. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.close();
    await this.#serving;
    await Promise.all(this.#open);
  }

  async #serve(): Promise<void> {
    for await (const client of this.#listener) {
      const done: Promise<void> = this.#pass(client).finally(() => this.#open.delete(done));
      this.#open.add(done);
    }
  }

  async #pass(client: Deno.TcpConn): Promise<void> {
    const server = await this.#connect();
    if (!server) return client.close();
    const end = () => {
      for (const connection of [client, server]) {
        try {
          connection.close();
        } catch {
          // It was closed before.
        }
      }
    };
    if (this.#stop.signal.aborted) return end();
    this.#stop.signal.addEventListener("abort", end);
    await Promise.all([copy(client, server), copy(server, client)]);
    this.#stop.signal.removeEventListener("abort", end);
    end();
  }

  async #connect(): Promise<Deno.TcpConn | undefined> {
    for (const target of this.#targets()) {
      const [hostname = "", port] = target.split(":");
      const attempt = new AbortController();
      const giveUp = () => attempt.abort();
      const timer = setTimeout(giveUp, CONNECT_TIMEOUT_MS);
      this.#stop.signal.addEventListener("abort", giveUp);
      try {
        return await Deno.connect({ hostname, port: Number(port), signal: attempt.signal });
      } catch {
        // The next one may take it.
      } finally {
        clearTimeout(timer);
        this.#stop.signal.removeEventListener("abort", giveUp);
      }
    }
    return undefined;
  }
}

/** Copies until the end, which is passed on; an error ends both directions. */
async function copy(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(65536);
  try {
    for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
      for (let sent = 0; sent < count;) sent += await to.write(buffer.subarray(sent, count));
    }
    await to.closeWrite();
  } catch {
    for (const connection of [from, to]) {
      try {
        connection.close();
      } catch {
        // It was closed before.
      }
    }
  }
}
