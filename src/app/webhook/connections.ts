import type { Socket } from "node:net";

/** One side of a connection, as whoever is at its other end is told apart. */
type Peer = Pick<Socket, "remoteAddress" | "remotePort">;

/**
 * The open connections of a server. Of more than are allowed the one goes on which nothing has begun or ended for longest: whoever
 * opens thousands and says nothing on them, or little, keeps nobody else out.
 */
export class Connections {
  readonly #max: number;
  readonly #open = new Map<string, Socket>(); // the quietest first

  constructor(max: number) {
    this.#max = max;
  }

  /** A connection was accepted. */
  add(socket: Socket): void {
    const name = nameOf(socket);
    const [quietest] = this.#open;
    if (quietest && this.#open.size >= this.#max) {
      this.#open.delete(quietest[0]);
      quietest[1].destroy();
    }
    this.#open.set(name, socket);
    socket.once("close", () => {
      if (this.#open.get(name) === socket) this.#open.delete(name);
    });
  }

  /** Something begins or ends on a connection. */
  touch(peer: Peer): void {
    const name = nameOf(peer);
    const socket = this.#open.get(name);
    if (!socket) return; // closed meanwhile
    this.#open.delete(name);
    this.#open.set(name, socket);
  }

  /**
   * Takes nothing in any more: what is still being sent waits at its sender's, until the connection is closed. A paused request is
   * not enough, for the runtime takes in all that comes by TLS, whether anybody reads it or not.
   */
  mute(peer: Peer): void {
    this.#open.get(nameOf(peer))?.pause();
  }
}

function nameOf({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
