/** What a client shows and trusts, PEM. */
export interface Material {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** The name that every server certificate of a DiscoveryService has, and that the tests dial. */
const NAME = "localhost";
/** What a client of HTTP/2 says first. */
const PREFACE = new Uint8Array([
  ...new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  ...[0, 0, 0, 4, 0, 0, 0, 0, 0],
]);
const BETWEEN_MS = 100;
const LONGEST_MS = 10_000;

/**
 * Clients that connect to all servers all the time, each with a connection of its own, and verify whom they reach. A server that does
 * not trust a client's certificate says so only after the handshake (TLS 1.3), so what counts is that it answers in HTTP/2.
 */
export class Handshakes implements AsyncDisposable {
  readonly refusals: string[] = [];
  count = 0;
  readonly #ports: readonly number[];
  readonly #clients = new Map<string, () => Material | Promise<Material>>();
  #running: Promise<void> | undefined;
  #rounds = 0;
  #ended = false;
  #wake: (() => void)[] = [];

  constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  /** Adds a client, or gives it other material. */
  client(name: string, material: Material | (() => Promise<Material>)): void {
    this.#clients.set(name, typeof material === "function" ? material : () => material);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  stop(): void {
    this.#ended = true;
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Resolves after so many whole rounds from now on. */
  async rounds(count: number): Promise<void> {
    const until = this.#rounds + count + 1;
    while (this.#rounds < until && !this.#ended) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  /** Connects one client to every server; gives what went wrong. */
  async once(name: string): Promise<readonly string[]> {
    const material = await this.#clients.get(name)!(); // the caller made it
    const results = await Promise.all(this.#ports.map((port) => connectOnce(port, material)));
    this.count += results.length;
    return results.flatMap((problem, index) => problem === undefined ? [] : [`${name}, server ${index}: ${problem}`]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.idle();
  }

  async #run(): Promise<void> {
    while (!this.#ended) {
      for (const name of [...this.#clients.keys()]) this.refusals.push(...await this.once(name));
      this.#rounds++;
      for (const wake of this.#wake.splice(0)) wake();
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Why a server and a client do not accept each other; `undefined` when they do. */
async function connectOnce(port: number, { cert, key, ca }: Material): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let connection: Deno.TlsConn | undefined;
  try {
    connection = await Deno.connectTls({
      ...{ hostname: NAME, port, caCerts: [ca], cert, key, alpnProtocols: ["h2"] },
    });
    const open = connection;
    timer = setTimeout(() => open.close(), LONGEST_MS);
    await open.write(PREFACE);
    const read = await open.read(new Uint8Array(9));
    return read === null ? "the server ended the connection" : undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    clearTimeout(timer);
    try {
      connection?.close();
    } catch {
      // closed already
    }
  }
}
