import { Buffer } from "node:buffer";
import { createSocket, type Socket } from "node:dgram";

/** Options of {@linkcode startEchoServer}. */
export interface EchoServerOptions {
  /** Stands before everything it answers. */
  readonly name: string;
  readonly address: string;
  /** UDP and TCP; none of them when absent. */
  readonly port?: number;
  /** Where it takes TCP connections and says nothing, for health checks; none when absent. */
  readonly healthPort?: number;
}

/**
 * A back end: answers each datagram, and each piece of a TCP stream, with its name, a bar and what it got. It can go away and come
 * back, whole or only as far as health checks see it.
 */
export class EchoServer implements AsyncDisposable {
  readonly name: string;
  readonly address: string;
  /** Datagrams that it has answered. */
  datagrams = 0;
  /** TCP connections that it has taken, without those of health checks. */
  connections = 0;
  readonly #options: EchoServerOptions;
  #udp: Socket | undefined;
  #tcp: Acceptor | undefined;
  #health: Acceptor | undefined;

  /** Use {@linkcode startEchoServer}. */
  constructor(options: EchoServerOptions) {
    this.#options = options;
    this.name = options.name;
    this.address = options.address;
  }

  /** Opens whatever is closed. */
  async comeBack(): Promise<void> {
    const { address, port, healthPort } = this.#options;
    if (port !== undefined) {
      this.#udp ??= await this.#bind(port);
      this.#tcp ??= new Acceptor({ address, port }, (connection) => this.#answer(connection));
    }
    if (healthPort !== undefined) this.#health ??= new Acceptor({ address, port: healthPort }, waitForEnd);
  }

  /** Closes everything, as a process does that ends. */
  async goAway(): Promise<void> {
    const udp = this.#udp;
    this.#udp = undefined;
    if (udp) await new Promise<void>((resolve) => udp.close(() => resolve()));
    await this.#tcp?.close();
    this.#tcp = undefined;
    await this.failHealthChecks();
  }

  /** Closes only what health checks look at. */
  async failHealthChecks(): Promise<void> {
    await this.#health?.close();
    this.#health = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goAway();
  }

  async #bind(port: number): Promise<Socket> {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(port, this.address, resolve);
    });
    socket.on("message", (message, from) => {
      this.datagrams++;
      socket.send(Buffer.concat([Buffer.from(`${this.name}|`), message]), from.port, from.address);
    });
    return socket;
  }

  async #answer(connection: Deno.Conn): Promise<void> {
    this.connections++;
    const buffer = new Uint8Array(4096);
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      await connection.write(
        new TextEncoder().encode(`${this.name}|${new TextDecoder().decode(buffer.subarray(0, count))}`),
      );
    }
  }
}

/** A TCP port and the connections that came to it; all of them end with it. */
class Acceptor {
  readonly #listener: Deno.Listener;
  readonly #open = new Set<Deno.Conn>();
  readonly #done: Promise<void>;

  constructor({ address, port }: { address: string; port: number }, serve: (connection: Deno.Conn) => Promise<void>) {
    this.#listener = Deno.listen({ hostname: address, port });
    this.#done = this.#accept(serve);
  }

  async close(): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) close(connection);
    await this.#done;
  }

  async #accept(serve: (connection: Deno.Conn) => Promise<void>): Promise<void> {
    const served: Promise<void>[] = [];
    try {
      for await (const connection of this.#listener) {
        this.#open.add(connection);
        served.push(
          serve(connection).catch(() => {}).finally(() => { // whoever is at the other end may go at any time
            this.#open.delete(connection);
            close(connection);
          }),
        );
      }
    } finally {
      await Promise.all(served);
    }
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // it has been closed by the other one of those who may
  }
}

async function waitForEnd(connection: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(64);
  while (await connection.read(buffer) !== null);
}

/** Starts a back end; see {@linkcode EchoServer}. */
export async function startEchoServer(options: EchoServerOptions): Promise<EchoServer> {
  const server = new EchoServer(options);
  try {
    await server.comeBack();
    return server;
  } catch (error) {
    await server.goAway();
    throw error;
  }
}
