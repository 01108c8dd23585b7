/**
 * What must hold of a run on a cluster beside the checks of every run: pure functions over the audit log and the journal, each of
 * which tells what is wrong.
 * @module
 */
import { entriesOf, type Log } from "../../faults/journal.ts";
import type { AuditEvent } from "./audit.ts";

const CONFIGS = "envoyconfigs";
const REVISIONS = "envoyconfigrevisions";

/** Terms of leadership as the audit log has them: each begins when another writes the Lease than the one before. */
export function termsOf(audit: readonly AuditEvent[], lease: string): { readonly user: string; readonly at: string }[] {
  const terms: { user: string; at: string }[] = [];
  for (const { resource, name, verb, code, user, at } of audit) {
    if (resource !== "leases" || name !== lease || code >= 300 || !["create", "update", "patch"].includes(verb)) {
      continue;
    }
    if (terms.at(-1)?.user !== user) terms.push({ user, at });
  }
  return terms;
}

/** I11: once the leader of a later term has written to an object, no write of an earlier term to it takes effect. */
export function oneWriter(audit: readonly AuditEvent[], lease: string): string[] {
  const terms = termsOf(audit, lease);
  const newest = new Map<string, { term: number; user: string }>();
  const faults: string[] = [];
  for (const event of audit) {
    if (!isLeadersWrite(event)) continue;
    const { resource, name, user, at } = event;
    const term = terms.findLastIndex((one) => one.user === user && one.at <= at);
    const id = `${resource}/${name}`;
    const before = newest.get(id);
    if (term < 0) faults.push(`${at}: ${user} wrote ${id} and never led`);
    else if (before && term < before.term) {
      faults.push(`${at}: ${user} wrote ${id} in term ${term}, after ${before.user} in term ${before.term}`);
    }
    if (!before || term > before.term) newest.set(id, { term, user });
  }
  return faults;
}

/** A write that took effect, by a replica, of something other than its own report. */
function isLeadersWrite({ resource, verb, code, user, query }: AuditEvent): boolean {
  if (resource !== CONFIGS && resource !== REVISIONS) return false;
  if (code >= 300 || !["create", "update", "patch", "delete"].includes(verb)) return false;
  const name = /^system:serviceaccount:[^:]+:(.+)$/.exec(user)?.[1];
  return name !== undefined && query["fieldManager"] !== `chancery-clients-${name}`;
}

/**
 * I1, I2: each configuration of which the journal knows that it was read became exactly one revision, and no revision was made
 * again that had not been removed.
 */
export function onceEach(audit: readonly AuditEvent[], log: Log): string[] {
  const faults: string[] = [];
  const present = new Set<string>();
  const made = new Set<string>();
  for (const { resource, subresource, name, verb, code, spec, at } of audit) {
    if (resource !== REVISIONS || subresource !== "" || code >= 300) continue;
    if (verb === "delete") present.delete(name);
    if (code !== 201) continue;
    if (present.has(name)) faults.push(`I2: ${at}: ${name} was made although it was there`);
    present.add(name);
    made.add(`${spec?.nodeID} ${spec?.version}`);
  }
  // An API server that is killed takes the last lines of its audit log with it; what it made is there all the same.
  for (const { revisions } of entriesOf(log, "store")) {
    for (const { node, version } of revisions) made.add(`${node} ${version}`);
  }
  const read = new Set(entriesOf(log, "read").map(({ node, version }) => `${node} ${version}`));
  for (const one of read) if (!made.has(one)) faults.push(`I1: no revision was made of ${one}`);
  return faults;
}

/**
 * I18: the last that delta clients of one node were told of each resource that they still ask for is the same, whichever replica
 * told it.
 */
export function sameEverywhere(log: Log): string[] {
  const told = new Map<string, Map<string, string>>(); // node and resource → client → version and hash
  const dropped = new Set<string>(); // client and resource
  for (const entry of entriesOf(log, "open", "request", "response")) {
    if (entry.protocol !== "delta") continue;
    if (entry.kind === "open") { // a new stream asks for all that it wants, but for clusters and listeners
      for (const [id, clients] of told) {
        const resource = id.slice(id.indexOf(" ") + 1);
        if (clients.has(entry.client) && !/^(CDS|LDS)/.test(resource)) dropped.add(`${entry.client} ${resource}`);
      }
      continue;
    }
    const { node, client, type } = entry;
    if (entry.kind === "request") {
      for (const name of entry.unsubscribe) dropped.add(`${client} ${type}/${name}`);
      for (const name of entry.subscribe) dropped.delete(`${client} ${type}/${name}`);
      continue;
    }
    for (const name of entry.removed) told.get(`${node} ${type}/${name}`)?.delete(client);
    for (const { name, version, hash } of entry.resources) {
      const id = `${node} ${type}/${name}`;
      told.set(id, (told.get(id) ?? new Map()).set(client, `${version} ${hash}`));
    }
  }
  return [...told].flatMap(([id, clients]) => {
    const resource = id.slice(id.indexOf(" ") + 1);
    const held = [...clients].filter(([client]) => !dropped.has(`${client} ${resource}`));
    return new Set(held.map(([, one]) => one)).size > 1 ? [`I18: ${id} differs: ${JSON.stringify(held)}`] : [];
  });
}

/** Lines of one message that a process may write at warning level or above, whatever happens to it: two for each of 100 node ids. */
const MAX_SAME = 200;

/** Of an error there is a bounded number of lines, not one for each time that it was met. */
export function noErrorLoop(process: string, lines: readonly string[]): string[] {
  const said = new Map<string, string[]>();
  const faults: string[] = [];
  for (const line of lines) {
    const { level, message } = fields(line);
    if (level === "warn" || level === "error") said.set(String(message), [...said.get(String(message)) ?? [], line]);
    if (!line.startsWith("{") && /^\s*(error|at )/i.test(line)) faults.push(`${process} wrote ${line}`);
  }
  const endless = [...said].filter(([, all]) => all.length > MAX_SAME);
  return [...faults, ...endless.map(([, all]) => `${process} said ${all.length} times something like ${all.at(-1)}`)];
}

function fields(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
