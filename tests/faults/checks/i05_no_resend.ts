import { entriesOf, type Log } from "../journal.ts";
import { talksOf, where } from "./streams.ts";

/** Changes take a while to be read, longer than this only with a bug. */
const BEFORE_MS = 10_000;

/** What a client refused is tried again only when something else has changed: each refusal beyond the first needs a change. */
export function noResend(log: Log): string[] {
  const changes = [
    ...entriesOf(log, "write", "secret", "fault", "healed").map(({ at }) => at),
    ...publicationChanges(log),
  ];
  return talksOf(log).flatMap((talk) => {
    const refusals = new Map<string, number[]>();
    const faults: string[] = [];
    for (const said of talk.said) {
      if (said.kind !== "request" || said.refused === undefined) continue;
      for (const { name, hash } of said.refused) {
        const id = `${talk.type}/${name} ${hash}`;
        const times = refusals.get(id) ?? [];
        refusals.set(id, [...times, said.at]);
        const since = (times[0] ?? said.at) - BEFORE_MS;
        const may = 1 + changes.filter((at) => at >= since && at <= said.at).length;
        if (times.length + 1 > may) faults.push(`${where(said)}: ${id} was refused ${times.length + 1} times`);
      }
    }
    return faults;
  });
}

/** A rollback is a change, too; clients see it by the count in the versions. */
function publicationChanges(log: Log): number[] {
  let seen = "";
  return entriesOf(log, "response").filter(({ protocol }) => protocol === "delta").flatMap(({ at, resources }) => {
    const counts = resources.map(({ version }) => /-r\d+$/.exec(version)?.[0] ?? "").sort();
    const now = counts.at(-1) ?? seen;
    const changed = now !== seen;
    seen = now;
    return changed ? [at] : [];
  });
}
