import { entriesOf, type Log } from "../journal.ts";
import { type Talk, talksOf } from "./streams.ts";

/**
 * A version is tainted only if clients refused something of it that is of the spec, and none that got the same took it; what
 * all refused is tainted.
 */
export function taintNeedsProof(log: Log): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { at, revisions } of entriesOf(log, "store")) {
    for (const { node, version, tainted } of revisions) {
      if (!tainted || seen.has(`${node} ${version}`)) continue;
      seen.add(`${node} ${version}`);
      const why = withoutProof(log, { node, version, at });
      if (why !== undefined) faults.push(`at ${at} ms: "${version}" of ${node} is tainted, ${why}`);
    }
  }
  for (const { node, version } of entriesOf(log, "rolled back")) {
    const last = entriesOf(log, "store").at(-1)?.revisions.find((one) => one.node === node && one.version === version);
    if (last?.tainted !== true) faults.push(`at the end: all refused "${version}" of ${node}, and it is not tainted`);
  }
  return faults;
}

function withoutProof(
  log: Log,
  { node, version, at }: { node: string; version: string; at: number },
): string | undefined {
  const writes = entriesOf(log, "write").filter((one) => one.node === node && one.version === version);
  const hashes = new Set(writes.flatMap(({ resources }) => resources.map(({ hash }) => hash)));
  const talks = talksOf(log).filter((talk) => talk.node === node && talk.type !== "SDS" && talk.type !== "EDS");
  const refusals = talks.flatMap(({ said }) => said).flatMap((said) => {
    if (said.kind !== "request" || said.at > at) return [];
    const refused = (said.refused ?? []).map(({ hash }) => hash).filter((hash) => hashes.has(hash));
    return refused.length === 0 ? [] : [{ by: said.client, at: said.at, hashes: new Set(refused) }];
  });
  if (refusals.length === 0) return "and nobody refused any of it";
  const disputed = refusals.every((refusal) => talks.some((talk) => took(talk, refusal)));
  return disputed ? "though clients took what others refused" : undefined;
}

/** So long a client may take to answer. */
const ANSWER_MS = 500;

/** Whether it is somebody else, connected when a client refused, who took what that one would not. */
function took(
  { client, said, closedAt }: Talk,
  { by, at, hashes }: { by: string; at: number; hashes: ReadonlySet<string> },
): boolean {
  if (client === by || closedAt < at + ANSWER_MS) return false;
  const nonces = new Set(
    said.flatMap((one) =>
      one.kind === "response" && one.resources.some(({ hash }) => hashes.has(hash)) ? [one.nonce] : []
    ),
  );
  return said.some((one) => one.kind === "request" && one.at <= at && nonces.has(one.nonce) && one.error === undefined);
}
