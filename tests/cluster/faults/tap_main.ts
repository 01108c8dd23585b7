/**
 * The clients of a fault run, in a process of their own: what goes wrong inside a client must not end the run. Writes what happens to
 * standard output, one entry of the journal a line, and is told what to do on standard input.
 * @module
 */
import { mutualTls } from "../../../src/xds/server/testing/client.ts";
import { converge } from "../../faults/converge.ts";
import { type Entry, Journal } from "../../faults/journal.ts";
import { TapClient } from "../../faults/tap_client.ts";

/** One client. */
export interface TapSpec {
  readonly name: string;
  readonly node: string;
  readonly protocol: "sotw" | "delta";
  /** Of replicas, which are tried in turn. */
  readonly ports: readonly number[];
}

/** What the process is told; `origin` is that of the journal. */
export type TapCommand =
  | { readonly do: "cut"; readonly client: string }
  | { readonly do: "converge"; readonly client: string; readonly wanted: readonly (readonly [string, string])[] }
  | { readonly do: "end" };

/** What it is started with. */
export interface TapStart {
  readonly origin: number;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
  readonly clients: readonly TapSpec[];
}

/** A journal that tells at once. */
class Telling extends Journal {
  override take(entry: Entry): void {
    super.take(entry);
    console.log(JSON.stringify(entry));
  }
}

async function main(): Promise<void> {
  const { origin, tls, clients: specs } = JSON.parse(Deno.args[0] ?? "") as TapStart; // as tap_process.ts wrote it
  const journal = new Telling(origin);
  const connection = {
    credentials: mutualTls(tls.ca, tls),
    channel: { "grpc.ssl_target_name_override": "localhost" }, // an address is no name to grpc-js
  };
  const clients = specs.map((spec) => new TapClient({ ...spec, journal, connection }));
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const command = JSON.parse(line) as TapCommand; // as tap_process.ts wrote it
      if (command.do === "end") {
        for (const client of clients) await client[Symbol.asyncDispose]();
        Deno.exit(0);
      }
      const client = clients.find(({ name }) => name === command.client);
      if (!client) throw new Error(`There is no client "${command.client}"`);
      if (command.do === "cut") client.cut();
      else void converge(client, { wanted: new Map(command.wanted), journal });
    }
  }
}

if (import.meta.main) await main();
