/**
 * The process that answers at Services' addresses, within the network namespace of a node: reads tables of forwards from its input,
 * one JSON document a line, and says for each when it is in force. When its input ends without a goodbye, the node's process was
 * killed; then it removes all that this one made. The only argument is the node's name on the machine.
 * @module
 */
import { sweep } from "../machine/sweep.ts";
import { run } from "../machine/run.ts";
import type { Forward } from "./forwards.ts";
import { Relay } from "./relay.ts";

/** One line of input. */
export type ProxyOrder =
  | { readonly forwards: readonly Forward[] }
  | { readonly goodbye: true };

interface Entry {
  readonly relay: Relay;
  targets: readonly string[];
}

/** Everything that is listened on now. */
class Proxy {
  readonly #entries = new Map<string, Entry>();
  readonly #addresses = new Set<string>();
  #turn = 0;

  /** Brings what is listened on in line with the table. A port without targets refuses connections. */
  async apply(table: readonly Forward[]): Promise<void> {
    const wanted = new Map(
      table.filter(({ targets }) => targets.length > 0).map((one) => [`${one.address}:${one.port}`, one]),
    );
    for (const [key, { relay }] of [...this.#entries]) {
      if (wanted.has(key)) continue;
      relay.close();
      this.#entries.delete(key);
    }
    for (const { address } of table) await this.#own(address);
    for (const [key, { address, port, targets }] of wanted) {
      const present = this.#entries.get(key);
      if (present) present.targets = targets;
      else {
        const entry: Entry = {
          targets,
          relay: new Relay({ hostname: address, port }, () => this.#order(entry.targets)),
        };
        this.#entries.set(key, entry);
      }
    }
  }

  /** One after the other has the first turn. */
  #order(targets: readonly string[]): string[] {
    const first = this.#turn++ % targets.length;
    return [...targets.slice(first), ...targets.slice(0, first)];
  }

  async #own(address: string): Promise<void> {
    if (this.#addresses.has(address)) return;
    this.#addresses.add(address);
    await run(["ip", "address", "add", `${address}/32`, "dev", "lo"]);
  }
}

if (import.meta.main) {
  const [instance = ""] = Deno.args;
  // A terminal's Ctrl-C is for the node's process, whose end is seen below.
  Deno.addSignalListener("SIGINT", () => {});
  const proxy = new Proxy();
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      // The other end of the pipe is this folder's own ServiceProxy.
      const order = JSON.parse(line) as ProxyOrder;
      if ("goodbye" in order) Deno.exit(0);
      await proxy.apply(order.forwards);
      await Deno.stdout.write(new TextEncoder().encode("\n"));
    }
  }
  await sweep(instance);
  Deno.exit(0);
}
