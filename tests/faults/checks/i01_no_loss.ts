import { entriesOf, type Log, type StoreEvent } from "../journal.ts";

/**
 * What was read became a revision: of every configuration that was taken there is one, and a revision that was there stays, as
 * long as its EnvoyConfig does and there is room for it.
 */
export function noLoss(log: Log): string[] {
  const faults: string[] = [];
  const stores = entriesOf(log, "store");
  for (const { at, atRest, configs, revisions } of stores) {
    for (const { node, uid, desired, publication } of configs) {
      const own = revisions.filter(({ owner }) => owner === uid).map(({ version }) => version);
      const needed = [desired, publication?.replace(/-r\d+$/, "")].filter((one) => one !== undefined);
      for (const version of needed) {
        if (!own.includes(version)) {
          faults.push(`at ${at} ms: ${node} goes by "${version}", of which there is no revision`);
        }
      }
    }
    if (!atRest) continue;
    for (const node of new Set(entriesOf(log, "write").map((write) => write.node))) {
      const last = entriesOf(log, "write").findLast((write) => write.node === node)!; // the nodes are taken from there
      const config = configs.find((one) => one.node === node);
      if (config?.version !== last.version || config.desired !== last.version) {
        faults.push(`at rest: ${node} has "${config?.desired}", written was "${last.version}"`);
      }
    }
  }
  for (const [index, later] of stores.entries()) {
    const before = stores[index - 1];
    if (before) faults.push(...vanished(before, later));
  }
  for (const { at, node, version } of entriesOf(log, "read")) {
    const next = stores.find((store) => store.at > at);
    const overtaken = entriesOf(log, "write", "fault").some((one) => one.at >= at && one.at <= (next?.at ?? 0));
    if (!next || overtaken) continue;
    if (!next.revisions.some((one) => one.node === node && one.version === version)) {
      faults.push(`at ${next.at} ms: the revision "${version}" of ${node}, read at ${at} ms, is lost`);
    }
  }
  return faults;
}

const ROOM = 10;

function vanished(before: StoreEvent, later: StoreEvent & { at: number }): string[] {
  return before.revisions.flatMap(({ owner, node, version }) => {
    const lives = later.configs.some(({ uid }) => uid === owner);
    const kept = later.revisions.filter((one) => one.owner === owner);
    if (!lives || kept.some((one) => one.version === version) || kept.length >= ROOM) return [];
    return [`at ${later.at} ms: revision "${version}" of ${node} is gone, though there are only ${kept.length}`];
  });
}
