import type { Journal, Log } from "./journal.ts";
import type { TapClient } from "./tap_client.ts";

/** How long to wait for what should take a few seconds. */
const DEADLINE_MS = 15_000;

/** What a node's clients are to hold of a version, or where it has no such version of what was written last; by `TYPE/name`. */
export function wantedOf(
  log: Log,
  { node, version }: { node: string; version: string | undefined },
): Map<string, string> {
  const writes = log.filter((one) => one.kind === "write").filter((one) => one.node === node);
  const write = writes.findLast((one) => one.version === version) ?? writes.at(-1);
  const secret = log.findLast((one) => one.kind === "secret" && one.node === node && one.hash !== undefined);
  const wanted = new Map<string, string>();
  for (const { type, name, hash } of write?.resources ?? []) wanted.set(`${type}/${name}`, hash);
  if (secret?.kind === "secret" && secret.hash !== undefined) wanted.set("SDS/token", secret.hash);
  return wanted;
}

/** Waits until a client holds what it should, and writes down how long that took. */
export async function converge(
  client: TapClient,
  { wanted, journal }: { wanted: ReadonlyMap<string, string>; journal: Journal },
): Promise<void> {
  const start = journal.now();
  const done = await journal.until(() => {
    const held = client.held();
    return held.size > 0 && [...held].every(([id, hash]) => wanted.get(id) === hash) &&
      [...wanted.keys()].every((id) => !/^(CDS|LDS|SDS)/.test(id) || held.has(id));
  }, DEADLINE_MS);
  const opened = journal.entries.findLast((one) => one.kind === "open" && one.client === client.name)?.at ?? 0;
  const afterMs = journal.now() - Math.max(start, opened);
  journal.add({ kind: "converged", client: client.name, node: client.node, ...(done && { afterMs }) });
}
