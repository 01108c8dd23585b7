import type { Http2Session } from "node:http2";

/**
 * Tells when the peer has read what was sent on a connection: a PING is answered after all bytes before it were read. It is
 * the only such sign, for the callback of a write means that HTTP/2's window had room, not that the socket drained.
 *
 * One PING is under way per connection, whatever the number of its streams: node allows ten, and grpc-js, refused its own
 * keepalive PING, would drop the connection.
 */
export class SessionDrain {
  readonly #session: Http2Session;
  #underWay = false;
  #next: (() => void)[] = [];

  constructor(session: Http2Session) {
    this.#session = session;
  }

  /** Calls back once everything that was written before this call was read, or the connection can tell no more. */
  whenRead(done: () => void): void {
    if (this.#underWay) this.#next.push(done);
    else this.#ping([done]);
  }

  #ping(waiting: (() => void)[]): void {
    const answered = () => {
      this.#underWay = false;
      const next = this.#next;
      this.#next = [];
      if (next.length > 0) this.#ping(next);
      for (const done of waiting) done();
    };
    this.#underWay = true;
    if (!this.#send(answered)) answered();
  }

  #send(answered: () => void): boolean {
    try {
      return !this.#session.destroyed && this.#session.ping(answered);
    } catch {
      return false; // closed between the check and the call: nothing to wait for
    }
  }
}

const drains = new WeakMap<Http2Session, SessionDrain>();

/** The one drain of a connection. */
export function drainOf(session: Http2Session): SessionDrain {
  let drain = drains.get(session);
  if (!drain) drains.set(session, drain = new SessionDrain(session));
  return drain;
}
