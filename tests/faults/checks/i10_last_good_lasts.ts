import { entriesOf, type Log } from "../journal.ts";

/**
 * Nobody who had clusters and listeners is left without, and nobody who had a secret loses it; what the store acknowledged or
 * published stays there through every crash.
 */
export function lastGoodLasts(log: Log): string[] {
  const faults: string[] = [];
  const deletions = entriesOf(log, "fault").filter(({ fault }) => fault === "file deleted").map(({ at }) => at);
  const held = new Map<string, Set<string>>();
  for (const entry of entriesOf(log, "response")) {
    if (!["CDS", "LDS", "SDS"].includes(entry.type)) continue;
    const id = `${entry.client} ${entry.type}`;
    const before = held.get(id) ?? new Set<string>();
    const names = entry.resources.map(({ name }) => name);
    const full = entry.protocol === "sotw";
    const now = full && entry.type !== "SDS" ? new Set(names) : before.union(new Set(names));
    for (const name of entry.removed) now.delete(name);
    // The last good bytes of a secret go with the configuration that asked for them.
    const gone = entry.type === "SDS" && deletions.some((at) => at < entry.at);
    if (!gone && before.size > 0 && now.size === 0) {
      faults.push(`at ${entry.at} ms: ${entry.client} is left without any ${entry.type}`);
    }
    held.set(id, now);
  }
  for (const { at, configs, revisions } of entriesOf(log, "store")) {
    for (const { node, uid, publication, acknowledged } of configs) {
      if (publication === undefined && revisions.some((one) => one.owner === uid && one.published)) {
        faults.push(`at ${at} ms: ${node} has forgotten what is published`);
      }
      if (acknowledged === undefined) continue;
      if (!revisions.some((one) => one.owner === uid && one.version === acknowledged)) {
        faults.push(`at ${at} ms: "${acknowledged}" of ${node}, which clients accepted, is gone`);
      }
    }
  }
  return faults;
}
