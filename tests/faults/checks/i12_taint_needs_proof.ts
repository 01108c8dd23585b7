import { entriesOf, type Log } from "../journal.ts";
import { talksOf } from "./streams.ts";

/** A version is tainted only if clients refused something of it that is of the spec, and none that got the same took it. */
export function taintNeedsProof(log: Log): string[] {
  const faults: string[] = [];
  const talks = talksOf(log);
  const seen = new Set<string>();
  for (const { at, revisions } of entriesOf(log, "store")) {
    for (const { node, version, tainted } of revisions) {
      if (!tainted || seen.has(`${node} ${version}`)) continue;
      seen.add(`${node} ${version}`);
      const hashes = new Set(
        entriesOf(log, "write").filter((one) => one.node === node && one.version === version)
          .flatMap(({ resources }) => resources.map(({ hash }) => hash)),
      );
      const refused = talks.filter((talk) => talk.node === node && talk.type !== "SDS" && talk.type !== "EDS")
        .flatMap(({ said }) => said).filter((said) =>
          said.kind === "request" && said.at <= at && said.refused?.some(({ hash }) => hashes.has(hash))
        );
      if (refused.length === 0) {
        faults.push(`at ${at} ms: "${version}" of ${node} is tainted, and nobody refused any of it`);
      }
    }
  }
  return faults;
}
