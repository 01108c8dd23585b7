/**
 * Writes without end into the data directory given, two objects and a kept value per transaction, and says on standard
 * output which one is durable. For `crash_test.ts`, which kills it.
 */
import { systemClock } from "../../src/base/mod.ts";
import type { Operation } from "../../src/store/mod.ts";
import { openLocalStore } from "../../src/store/local/mod.ts";

const store = openLocalStore({ directory: Deno.args[0]!, clock: systemClock });
const last = await store.get({ kind: "Sample", namespace: "default", name: "left" });
const { count: start = 0 } = (last?.spec ?? {}) as { count?: number }; // written below
const encoder = new TextEncoder();
Deno.stdout.writeSync(encoder.encode(`open\n`));
for (let count = start + 1;; count++) {
  const padding = "x".repeat(1 + (count * 7919) % 20_000);
  const write = (name: string): Operation => ({
    apply: { apiVersion: "v1", kind: "Sample", metadata: { name, namespace: "default" }, spec: { count, padding } },
    options: { fieldManager: "writer" },
  });
  await store.transaction([write("left"), { keep: "count", data: encoder.encode(String(count)) }, write("right")]);
  Deno.stdout.writeSync(encoder.encode(`${count}\n`));
}
