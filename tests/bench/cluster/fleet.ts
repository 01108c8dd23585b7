/**
 * Clients of a discovery service for the benchmark on a cluster: as many streams as asked for, by mutual TLS, which accept all they get
 * at once. Reads one JSON command a line from standard input and answers on standard output.
 * @module
 */
import { envoyRegistry, type Plain, RESOURCE_TYPES } from "../../../src/envoy/mod.ts";
import { ADS_DELTA, mutualTls, TestClient, type TestStream } from "../../../src/xds/server/testing/client.ts";

/** A node and the names that it asks for, by the short name of the type. */
export interface FleetNode {
  readonly id: string;
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** What {@linkcode Fleet} is told. */
export type FleetCommand =
  | {
    readonly cmd: "connect";
    readonly port: number;
    readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
    readonly nodes: readonly FleetNode[];
  }
  /** Answered when all these nodes have accepted something that holds their mark. */
  | { readonly cmd: "expect"; readonly marks: Readonly<Record<string, string>> }
  /** What came to which node since it was asked last. */
  | { readonly cmd: "count" };

/** What came to a node. */
export interface Came {
  readonly responses: number;
  readonly bytes: number;
}

const PREFIX = "envoy.service.discovery.v3.Delta";
const TYPES = ["CDS", "EDS", "LDS", "RDS", "SDS"];
const URLS = new Map(RESOURCE_TYPES.map(({ short, typeUrl }) => [short as string, typeUrl]));
const request = envoyRegistry().codec(`${PREFIX}DiscoveryRequest`);
const response = envoyRegistry().codec(`${PREFIX}DiscoveryResponse`);
const latin1 = new TextDecoder("latin1");

/** Milliseconds since the epoch, finer than whole ones. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

class Client {
  readonly id: string;
  responses = 0;
  bytes = 0;
  /** Of the cluster that is marked, as accepted last. */
  mark = "";
  readonly #stream: TestStream;
  readonly #missing = new Set(TYPES);
  readonly #told: () => void;
  /** Resolves when something of every type was accepted. */
  readonly complete: Promise<void>;
  #complete = () => {};

  constructor(client: TestClient, { id, names }: FleetNode, told: () => void) {
    this.id = id;
    this.#told = told;
    this.complete = new Promise((resolve) => this.#complete = resolve);
    this.#stream = client.open(ADS_DELTA);
    for (const [index, type] of TYPES.entries()) {
      this.#stream.send(request.encode({
        ...(index === 0 && { node: { id } }),
        type_url: URLS.get(type),
        resource_names_subscribe: [...names[type] ?? ["*"]],
      }));
    }
    void this.#read();
  }

  async #read(): Promise<void> {
    for (let count = 1;; count++) {
      const bytes = (await this.#stream.received(count))[count - 1]!; // as many as were waited for
      this.#stream.messages[count - 1] = bytes.subarray(0, 0); // is not needed again
      this.#take(bytes);
    }
  }

  #take(bytes: Uint8Array): void {
    const message: Plain = response.decode(bytes);
    this.#stream.send(request.encode({ type_url: message["type_url"], response_nonce: message["nonce"] }));
    this.responses++;
    this.bytes += bytes.length;
    for (const type of TYPES) if (URLS.get(type) === message["type_url"]) this.#missing.delete(type);
    const mark = /mark-[0-9]+-[0-9]+/.exec(latin1.decode(bytes));
    if (mark) this.mark = mark[0];
    if (this.#missing.size === 0) this.#complete();
    this.#told();
  }
}

class Fleet {
  readonly #clients = new Map<string, Client>();
  readonly #look = new Set<() => void>();

  async run(command: FleetCommand): Promise<Record<string, unknown>> {
    switch (command.cmd) {
      case "connect": {
        for (const node of command.nodes) {
          const { ca, cert, key } = command.tls;
          const client = new TestClient(`127.0.0.1:${command.port}`, {
            credentials: mutualTls(ca, { cert, key }),
            channel: { "grpc.ssl_target_name_override": "localhost" }, // an address is no name to grpc-js
          });
          this.#clients.set(node.id, new Client(client, node, () => this.#look.forEach((look) => look())));
        }
        await Promise.all([...this.#clients.values()].map(({ complete }) => complete));
        return { at: preciseNow() };
      }
      case "expect": {
        const wanted = new Map(Object.entries(command.marks));
        const { promise, resolve } = Promise.withResolvers<void>();
        const look = () => {
          for (const [id, mark] of wanted) if (this.#clients.get(id)?.mark === mark) wanted.delete(id);
          if (wanted.size === 0) resolve();
        };
        this.#look.add(look);
        look();
        await promise;
        this.#look.delete(look);
        return { at: preciseNow() };
      }
      case "count": {
        const came: Record<string, Came> = {};
        for (const client of this.#clients.values()) {
          if (client.responses > 0) came[client.id] = { responses: client.responses, bytes: client.bytes };
          client.responses = client.bytes = 0;
        }
        return { came };
      }
    }
  }
}

if (import.meta.main) {
  const fleet = new Fleet();
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { id, ...command } = JSON.parse(line) as FleetCommand & { readonly id: number }; // written by Child
      console.log(JSON.stringify({ id, ...await fleet.run(command) }));
    }
  }
  Deno.exit(0); // whoever asked is gone
}
