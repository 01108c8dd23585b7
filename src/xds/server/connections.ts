import type { Socket } from "node:net";
import type { XdsLimits } from "./limits.ts";
import { formatAddress } from "./peer.ts";

/** The sockets of one server. */
export class Connections {
  readonly #limits: Pick<XdsLimits, "connections" | "firstStreamMs">;
  readonly #open = new Set<Socket>();
  /** Cancels the wait for a first stream, by peer address. */
  readonly #silent = new Map<string, { socket: Socket; forget: () => void }>();
  #whenNone: (() => void)[] = [];

  constructor(limits: Pick<XdsLimits, "connections" | "firstStreamMs">) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes a new connection, or closes it and says `false` when there are too many. */
  admit(socket: Socket): boolean {
    // Without a listener the reset of a connection would end the process.
    socket.on("error", () => {});
    if (this.#open.size >= this.#limits.connections) {
      socket.destroy();
      return false;
    }
    this.#open.add(socket);
    const forget = this.#awaitFirstStream(socket);
    socket.once("close", () => {
      forget();
      this.#open.delete(socket);
      if (this.#open.size === 0) { for (const done of this.#whenNone.splice(0)) done(); }
    });
    return true;
  }

  /** A peer has opened a stream: it is no silent connection. */
  spoke(address: string): void {
    this.#silent.get(address)?.forget();
  }

  /** Resolves when no connection is left. */
  gone(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenNone.push(resolve));
  }

  /** Cuts those that never opened a stream: they have nothing to lose, and one in its TLS handshake hears no goodbye. */
  destroySilent(): void {
    for (const { socket } of [...this.#silent.values()]) socket.destroy();
  }

  /** Cuts all connections. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Whoever connects and says nothing, or does not finish the handshake, is cut. Unix sockets have no address, and mode 0600. */
  #awaitFirstStream(socket: Socket): () => void {
    const address = formatAddress(socket.remoteAddress, socket.remotePort);
    if (address === undefined) return () => {};
    const timer = setTimeout(() => socket.destroy(), this.#limits.firstStreamMs);
    const forget = () => {
      clearTimeout(timer);
      this.#silent.delete(address);
    };
    this.#silent.set(address, { socket, forget });
    return forget;
  }
}
