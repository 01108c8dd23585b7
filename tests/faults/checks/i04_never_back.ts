import { entriesOf, type Log, type WriteEvent } from "../journal.ts";
import { countsUntil, rollbacksOfView } from "./i03_truth.ts";
import { rollbacksIn, type Talk, talksOf, where } from "./streams.ts";

/**
 * On a stream a resource gets newer only, counted by what was written, unless the versions tell of another rollback. By name,
 * since clusters that are about to go are told together with newer ones.
 */
export function neverBack(log: Log): string[] {
  const deletions = entriesOf(log, "fault").filter(({ fault }) => fault === "file deleted").map(({ at }) => at);
  return talksOf(log).filter(({ type }) => type !== "SDS").flatMap((talk) => ofTalk(talk, { log, deletions }));
}

function ofTalk(talk: Talk, { log, deletions }: { log: Log; deletions: readonly number[] }): string[] {
  const faults: string[] = [];
  const writes = entriesOf(log, "write").filter(({ node }) => node === talk.node);
  const isIn = (name: string, hash: string) => ({ resources }: WriteEvent) =>
    resources.some((one) => one.type === talk.type && one.name === name && one.hash === hash);
  const known = new Map<string, { hash: string; first: number }>();
  let [rollbacks, last] = [0, 0];
  for (const said of talk.said) {
    if (said.kind !== "response" || said.resources.length === 0) continue;
    const count = talk.protocol === "sotw"
      ? rollbacksOfView(said, countsUntil(log, said)) ?? 0
      : Math.max(...said.resources.map(({ version }) => rollbacksIn(version)));
    // Whoever deletes a configuration and brings it back begins anew.
    const anew = deletions.some((at) => at > last - DELETED_MS && at < said.at);
    // State of the world tells the count only of what it lists, and none at all of endpoints.
    if (count > rollbacks || anew || (talk.type === "EDS" && talk.protocol === "sotw")) known.clear();
    [rollbacks, last] = [Math.max(rollbacks, count), said.at];
    for (const { name, hash } of said.resources) {
      const before = known.get(name);
      if (before?.hash === hash) continue;
      const newest = writes.findLastIndex((write) => write.at <= said.at && isIn(name, hash)(write));
      if (newest < 0) continue; // told by the check of truth
      if (before && newest < before.first) {
        faults.push(`${where(said)}: ${talk.type}/${name} went back to ${writes[newest]!.version}, without a rollback`);
      }
      known.set(name, { hash, first: writes.findIndex(isIn(name, hash)) });
    }
  }
  return faults;
}

/** So long after a deletion it may still be under way. */
const DELETED_MS = 3_000;
