import { entriesOf, type Log } from "../journal.ts";

/** One revision per node and version, and one EnvoyConfig per node. */
export function noDouble(log: Log): string[] {
  return entriesOf(log, "store").flatMap(({ at, configs, revisions }) => {
    const ids = [
      ...configs.map(({ node }) => `EnvoyConfig of ${node}`),
      ...revisions.map(({ node, version }) => `revision "${version}" of ${node}`),
      ...revisions.filter(({ published }) => published).map(({ node }) => `published revision of ${node}`),
    ];
    const published = (id: string) => id.startsWith("published");
    // Between the mark of the new and the unmarking of the old one both have it: a crash there leaves two, none never.
    return [...new Set(ids)].filter((id) => ids.filter((one) => one === id).length > (published(id) ? 2 : 1))
      .map((id) => `at ${at} ms: more than one ${id}`);
  });
}
