/** What happens to bytes on their way. `hole`: they are taken and nobody says so; connections stay open. */
export type ProxyMode = "forward" | "hole";

/** A way to a server that can be broken like a network. */
export class TcpProxy implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #to: { readonly hostname: string; readonly port: number };
  readonly #open = new Set<Deno.Conn>();
  readonly #done: Promise<void>;
  #mode: ProxyMode = "forward";
  #heal = Promise.withResolvers<void>();
  /** Connections that were made so far. */
  connections = 0;
  /** Bytes that came back from the server. */
  bytes = 0;

  constructor(server: string) {
    const { hostname, port } = new URL(server);
    this.#to = { hostname, port: Number(port) };
    this.#done = this.#accept();
  }

  /** `https://127.0.0.1:PORT` */
  get address(): string {
    return `https://127.0.0.1:${(this.#listener.addr as Deno.NetAddr).port}`;
  }

  get mode(): ProxyMode {
    return this.#mode;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    if (mode === "forward") {
      this.#heal.resolve();
      this.#heal = Promise.withResolvers();
    }
  }

  /** Breaks all connections that are open. */
  cut(): void {
    for (const connection of this.#open) close(connection);
    this.#open.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.mode = "forward";
    this.cut();
    await this.#done;
  }

  async #accept(): Promise<void> {
    const running = new Set<Promise<void>>();
    for await (const client of this.#listener) {
      this.connections++;
      this.#open.add(client);
      const one = this.#serve(client).catch(() => {}).finally(() => running.delete(one)); // broken on purpose
      running.add(one);
    }
    await Promise.all(running);
  }

  async #serve(client: Deno.Conn): Promise<void> {
    if (this.#mode === "hole") await this.#heal.promise;
    let server: Deno.Conn | undefined;
    try {
      server = await Deno.connect(this.#to);
      this.#open.add(server);
      await Promise.race([this.#pump(client, server), this.#pump(server, client, (n) => this.bytes += n)]);
    } finally {
      for (const connection of [client, server]) {
        if (!connection) continue;
        this.#open.delete(connection);
        close(connection);
      }
    }
  }

  async #pump(from: Deno.Conn, to: Deno.Conn, count: (bytes: number) => void = () => {}): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const n = await from.read(buffer);
      // what is in a hole when it closes arrives late, as after a network that lost nothing for good
      while (this.#mode === "hole") await this.#heal.promise;
      if (n === null) return;
      count(n);
      for (let sent = 0; sent < n;) sent += await to.write(buffer.subarray(sent, n));
    }
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // the other side was quicker
  }
}
