import { createSocket, type Socket } from "node:dgram";
import { eventually } from "../../envoy/harness/mod.ts";

/**
 * How many datagrams of a client may be between it and its answer when its session moves: their answers come back to a session that is no
 * more. Clients send one in some milliseconds, and back ends answer at once as far as the machine lets them.
 */
export const ON_THE_WAY = 4;

/** Options of {@linkcode startDatagramStream}. */
export interface DatagramStreamOptions {
  /** Port of the loopback that the datagrams go to. */
  readonly port: number;
  /** Where the clients are: one socket each. */
  readonly clients: readonly string[];
  /** A datagram of one of the clients, in turn, each so many milliseconds; 4 when absent. */
  readonly everyMs?: number;
}

/** What became of a datagram. */
export interface Datagram {
  /** Address of the client that sent it. */
  readonly client: string;
  /** When, in milliseconds of `performance.now()`. */
  readonly at: number;
  /** The back end that answered; absent while nobody has. */
  readonly by?: string;
}

interface Sent extends Datagram {
  by?: string;
}

/**
 * A constant stream of numbered datagrams whose answers are counted. `mark()` gives a place in it; what was sent after one can be
 * asked about at any time.
 */
export class DatagramStream implements AsyncDisposable {
  readonly #sent: Sent[] = [];
  readonly #sockets: readonly Socket[];
  readonly #timer: ReturnType<typeof setInterval>;
  #answers = 0;
  #strange = 0;
  #closed = false;

  /** Use {@linkcode startDatagramStream}. */
  constructor(sockets: ReadonlyMap<string, Socket>, { port, everyMs = 4 }: DatagramStreamOptions) {
    const clients = [...sockets];
    this.#sockets = clients.map(([, socket]) => socket);
    for (const socket of this.#sockets) socket.on("message", (message) => this.#take(message.toString()));
    this.#timer = setInterval(() => {
      const [client, socket] = clients[this.#sent.length % clients.length]!; // there is at least one
      socket.send(String(this.#sent.push({ client, at: performance.now() }) - 1), port, "127.0.0.1");
    }, everyMs);
  }

  /** The place between what was sent and what will be. */
  mark(): number {
    return this.#sent.length;
  }

  /** Datagrams after a mark, up to another one or to now. */
  since(mark: number, until = this.#sent.length): readonly Datagram[] {
    return this.#sent.slice(mark, until);
  }

  /** How often each back end answered what was sent after a mark. */
  answeredBy(mark: number, until?: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { by } of this.since(mark, until)) if (by !== undefined) counts.set(by, (counts.get(by) ?? 0) + 1);
    return counts;
  }

  /** The back ends that each client was answered by after a mark, sorted. */
  backEndsOf(mark: number): Map<string, string[]> {
    const all = Map.groupBy(this.since(mark).filter(({ by }) => by !== undefined), ({ client }) => client);
    return new Map([...all].map(([client, answered]) => [client, [...new Set(answered.map(({ by }) => by!))].sort()]));
  }

  /** Waits until so many more datagrams of each client have been answered, and gives the place before the first of them. */
  async flows(count = 10): Promise<number> {
    const mark = this.mark();
    const wanted = count * this.#sockets.length;
    await eventually(() => this.since(mark).filter(({ by }) => by !== undefined).length >= wanted, {
      what: `${wanted} datagrams to be answered`,
      deadlineMs: 30_000,
      explain: () => `${this.since(mark).length} were sent`,
    });
    return mark;
  }

  /** Waits until all that was sent between two marks is answered. */
  async answered(mark: number, until = this.#sent.length): Promise<void> {
    const missing = () => this.since(mark, until).filter(({ by }) => by === undefined).length;
    await eventually(() => missing() === 0, {
      what: `the answers to ${until - mark} datagrams`,
      deadlineMs: 30_000,
      explain: () => `${missing()} were lost`,
    });
  }

  /** How many of each client's datagrams between two marks were lost; clients that lost none are left out. */
  lost(mark: number, until?: number): Map<string, number> {
    const lost = Map.groupBy(this.since(mark, until).filter(({ by }) => by === undefined), ({ client }) => client);
    return new Map([...lost].map(([client, datagrams]) => [client, datagrams.length]));
  }

  /** Waits until a hundred datagrams in a row have got no answer. */
  async dropped(): Promise<void> {
    let mark = this.mark();
    await eventually(() => {
      if (this.since(mark).some(({ by }) => by !== undefined)) mark = this.mark();
      return this.since(mark).length >= 100;
    }, { what: "a hundred datagrams that nobody answers", deadlineMs: 30_000 });
  }

  /** Answers that belong to nothing that was sent, or came twice. */
  get strange(): number {
    return this.#strange;
  }

  /** Waits until no answer has come for half a second after sending ended: what has none then is lost. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    let answers = -1;
    while (answers !== this.#answers) {
      answers = this.#answers;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#close();
  }

  async #close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all(this.#sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
  }

  #take(text: string): void {
    const [by, number] = splitLast(text);
    const datagram = this.#sent[Number(number)];
    if (!datagram || datagram.by !== undefined) return void this.#strange++;
    datagram.by = by;
    this.#answers++;
  }
}

/** `ingress|worker|7` is what `ingress` answered to what `worker` answered to `7`. */
function splitLast(text: string): [string, string] {
  const bar = text.lastIndexOf("|");
  return [text.slice(0, bar), text.slice(bar + 1)];
}

/** Starts a stream; see {@linkcode DatagramStream}. */
export async function startDatagramStream(options: DatagramStreamOptions): Promise<DatagramStream> {
  const sockets = new Map<string, Socket>();
  for (const address of options.clients) {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(0, address, resolve);
    });
    sockets.set(address, socket);
  }
  return new DatagramStream(sockets, options);
}
