import { shortHash } from "../../../src/base/hash/mod.ts";
import { entriesOf, type Log, type ResponseEvent } from "../journal.ts";
import { rollbacksIn } from "./streams.ts";

/** What is on the wire hashes to the version that is claimed for it, and was written to the directory before. */
export function truth(log: Log): string[] {
  const faults: string[] = [];
  const admitted = new Set<string>();
  const secrets = new Set<string>();
  for (const entry of log) {
    if (entry.kind === "write") {
      for (const { type, name, hash } of entry.resources) admitted.add(`${entry.node} ${type}/${name} ${hash}`);
    } else if (entry.kind === "secret" && entry.hash !== undefined) {
      secrets.add(`${entry.node} SDS/${entry.name} ${entry.hash}`);
    } else if (entry.kind === "response") {
      for (const { name, hash, version } of entry.resources) {
        const id = `${entry.node} ${entry.type}/${name} ${hash}`;
        if (!admitted.has(id) && !secrets.has(id) && !isStandIn(entry)) {
          faults.push(`at ${entry.at} ms: ${id} was sent to ${entry.client} and is of nothing that was written`);
        }
        if (entry.protocol === "delta" && version.replace(/-r\d+$/, "") !== hash) {
          faults.push(`at ${entry.at} ms: ${id} was sent to ${entry.client} as version "${version}"`);
        }
      }
      if (entry.protocol === "sotw" && rollbacksOfView(entry, countsUntil(log, entry)) === undefined) {
        faults.push(`at ${entry.at} ms: ${entry.type} "${entry.version}" to ${entry.client} is not what it claims`);
      }
    }
  }
  if (entriesOf(log, "response").length === 0) faults.push("nothing was sent");
  return faults;
}

/** A name that is asked for in state of the world and that nobody configured. */
function isStandIn({ protocol, type }: ResponseEvent): boolean {
  return protocol === "sotw" && type === "EDS";
}

/**
 * How many rollbacks the version of a state-of-the-world response tells of; `undefined` when it tells of something else. What is
 * about to go keeps the version under which it was told, so counts may be mixed.
 */
export function rollbacksOfView(said: ResponseEvent, counts: readonly number[]): number | undefined {
  if (said.type === "EDS") return 0; // may hold stand-ins, whose version shows nowhere
  for (const one of counts) if (highestIn(said, [one]) !== undefined) return one;
  for (const one of counts) {
    for (const other of counts) if (one > other && highestIn(said, [one, other]) !== undefined) return one;
  }
  return highestIn(said, counts); // there are never more than a few clusters
}

/** The highest of the counts with which the version is right; `undefined` when it is right with none. */
function highestIn({ version, resources }: ResponseEvent, counts: readonly number[]): number | undefined {
  const found = (pairs: readonly string[], highest: number): number | undefined => {
    const next = resources[pairs.length];
    if (!next) return shortHash([...pairs].sort().join("\n"), 16) === version ? highest : undefined;
    for (const count of counts) {
      const pair = `${JSON.stringify(next.name)}:${next.hash}${count === 0 ? "" : `-r${count}`}`;
      const result = found([...pairs, pair], Math.max(highest, count));
      if (result !== undefined) return result;
    }
    return undefined;
  };
  return found([], 0);
}

/** The counts that a state-of-the-world response may tell of: those that were ever told, the latest first, and the next one. */
export function countsUntil(log: Log, { node, at }: { node: string; at: number }): number[] {
  const told = new Set([0]);
  for (const entry of entriesOf(log, "response", "store")) {
    if (entry.kind === "store") {
      for (const config of entry.configs) if (config.node === node) told.add(config.rollbackCount);
    } else if (entry.node === node && entry.at <= at + 5_000) {
      for (const { version } of entry.resources) told.add(rollbacksIn(version));
    }
  }
  return [...told, Math.max(...told) + 1].sort((a, b) => b - a);
}
