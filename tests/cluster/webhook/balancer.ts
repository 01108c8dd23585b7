/** What stands between an API server and the replicas of a webhook: each new connection goes to the next of them that takes it. */
export class Balancer implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #ports: readonly number[];
  readonly #open = new Set<Deno.Conn>();
  readonly #done: Promise<void>;
  #next = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#done = this.#accept();
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port; // it listens on TCP
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) close(connection);
    await this.#done;
  }

  async #accept(): Promise<void> {
    const running = new Set<Promise<void>>();
    for await (const client of this.#listener) {
      const one = this.#serve(client).catch(() => {}).finally(() => running.delete(one)); // either side may break it
      running.add(one);
    }
    await Promise.all(running);
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    this.#open.add(client);
    let server: Deno.TcpConn | undefined;
    for (let tries = 0; !server && tries < this.#ports.length; tries++) {
      const port = this.#ports[this.#next++ % this.#ports.length]!; // there are some
      server = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
    }
    if (!server) return close(client);
    this.#open.add(server);
    try {
      await Promise.race([client.readable.pipeTo(server.writable), server.readable.pipeTo(client.writable)]);
    } finally {
      for (const connection of [client, server]) {
        close(connection);
        this.#open.delete(connection);
      }
    }
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // closed already
  }
}
