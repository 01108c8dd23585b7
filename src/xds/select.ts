import { resourceTypeOf } from "../envoy/mod.ts";
import type { Resource, Snapshot, TypeSnapshot } from "../snapshot/mod.ts";
import type { Subscription } from "./subscription.ts";
import { EMPTY_VIEW, type Entry, memoize, type View, viewOf } from "./view.ts";

/** Version of an on-demand virtual host that does not exist. */
const ABSENT = "\u0000absent";

interface Selection {
  readonly type: TypeSnapshot;
  readonly view: View;
}

const latest = new WeakMap<Subscription, Map<string, Selection>>();

/**
 * What a subscription gets of a type: the subset asked for, nothing else (W2). Of two snapshots that differ only in names the
 * subscription does not list, the same view comes out, so that its streams have nothing to do.
 */
export function select(type: TypeSnapshot | undefined, wanted: Subscription): View {
  if (!type) return EMPTY_VIEW;
  if (wanted.wildcard) return viewOf(type);
  if (wanted.names.size === 0) return EMPTY_VIEW;
  let selections = latest.get(wanted);
  if (!selections) latest.set(wanted, selections = new Map());
  const before = selections.get(type.typeUrl);
  if (before?.type === type) return before.view;
  const view = before && !touches(changedNames(before.type, type), wanted.names)
    ? before.view
    : subset(type, wanted.names);
  selections.set(type.typeUrl, { type, view });
  return view;
}

function subset(type: TypeSnapshot, names: ReadonlySet<string>): View {
  const whole = viewOf(type);
  const entries = new Map<string, Entry>();
  for (const name of names) {
    const entry = whole.entries.get(name);
    if (entry) entries.set(name, entry);
  }
  return { entries };
}

const changes = new WeakMap<
  TypeSnapshot,
  { readonly to: WeakRef<TypeSnapshot>; readonly names: ReadonlySet<string> }
>();

/** Names that differ between two snapshots of a type. */
function changedNames(from: TypeSnapshot, to: TypeSnapshot): ReadonlySet<string> {
  const known = changes.get(from);
  if (known?.to.deref() === to) return known.names;
  const names = new Set<string>();
  for (const [name, resource] of to.resources) {
    if (from.resources.get(name)?.version !== resource.version) names.add(name);
  }
  for (const name of from.resources.keys()) if (!to.resources.has(name)) names.add(name);
  changes.set(from, { to: new WeakRef(to), names });
  return names;
}

function touches(changed: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  const [few, many] = changed.size < wanted.size ? [changed, wanted] : [wanted, changed];
  for (const name of few) if (many.has(name)) return true;
  return false;
}

/**
 * Virtual hosts on demand: a client asks for `<route configuration>/<host>` and gets the virtual host whose domains match
 * that host, under its own name with the asked name as alias; an unknown host is answered without a body, so that Envoy
 * answers 404 at once instead of waiting. Envoy's first request names nothing, and a listener waits until anything of its
 * route configuration has come: so each one is mentioned, again without a body.
 * https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/vhds
 */
export const selectVirtualHosts: (snapshot: Snapshot, wanted: Subscription) => View = memoize(
  (snapshot: Snapshot, wanted: Subscription) => {
    const hosts = [...snapshot.types.values()].find((type) => resourceTypeOf(type.typeUrl)?.short === "VHDS");
    const routes = [...snapshot.types.values()].find((type) => resourceTypeOf(type.typeUrl)?.short === "RDS");
    const entries = new Map<string, Entry>();
    for (const name of routes?.resources.keys() ?? []) entries.set(`${name}/`, { version: ABSENT });
    if (wanted.wildcard && hosts) { for (const [name, entry] of viewOf(hosts).entries) entries.set(name, entry); }
    for (const name of wanted.names) {
      const found = hosts?.resources.get(name) ?? (hosts ? matchHost(hosts, name) : undefined);
      entries.set(name, found ? { version: found.version, resource: found } : { version: ABSENT });
    }
    return { entries };
  },
);

/** Exact domain first, then the longest suffix wildcard, the longest prefix wildcard, then `*`: as Envoy matches hosts. */
function matchHost(type: TypeSnapshot, asked: string): Resource | undefined {
  const slash = asked.lastIndexOf("/");
  const prefix = asked.slice(0, slash + 1);
  const host = asked.slice(slash + 1).toLowerCase();
  let best: { readonly resource: Resource; readonly score: number } | undefined;
  for (const resource of type.resources.values()) {
    if (slash < 0 || !resource.name.startsWith(prefix)) continue;
    for (const domain of resource.domains ?? []) {
      const score = domainScore(domain.toLowerCase(), host);
      if (score > (best?.score ?? 0)) best = { resource, score };
    }
  }
  return best?.resource;
}

function domainScore(domain: string, host: string): number {
  const EXACT = 3_000_000, SUFFIX = 2_000_000, PREFIX = 1_000_000;
  if (domain === host) return EXACT;
  if (domain === "*") return 1;
  if (domain.startsWith("*") && host.endsWith(domain.slice(1)) && host.length >= domain.length) {
    return SUFFIX + domain.length;
  }
  if (domain.endsWith("*") && host.startsWith(domain.slice(0, -1)) && host.length >= domain.length) {
    return PREFIX + domain.length;
  }
  return 0;
}
