import { entriesOf, type Log } from "../journal.ts";

const MAX = 10;

/** At most ten revisions per EnvoyConfig, and the published and the acknowledged one are among them. */
export function retention(log: Log): string[] {
  return entriesOf(log, "store").flatMap(({ at, configs, revisions }) =>
    configs.flatMap(({ node, uid, publication, acknowledged }) => {
      const own = revisions.filter(({ owner }) => owner === uid).map(({ version }) => version);
      const needed = [publication?.replace(/-r\d+$/, ""), acknowledged].filter((one) => one !== undefined);
      return [
        // One more for the moment between making the new one and removing the oldest.
        ...(own.length > MAX + 1 ? [`at ${at} ms: ${node} has ${own.length} revisions`] : []),
        ...needed.filter((one) => !own.includes(one)).map((one) =>
          `at ${at} ms: revision "${one}" of ${node} was removed`
        ),
      ];
    })
  );
}
