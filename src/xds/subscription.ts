import { shortHash } from "../base/hash/mod.ts";

/** Which names of a type a client wants. Interned: equal subscriptions are one object. */
export interface Subscription {
  /** Everything, whatever its name (`*`, or no name in the first request of a type that allows it). */
  readonly wildcard: boolean;
  readonly names: ReadonlySet<string>;
}

/** Wants nothing (yet). */
export const NOTHING: Subscription = { wildcard: false, names: new Set() };
/** Wants everything. */
export const EVERYTHING: Subscription = { wildcard: true, names: new Set() };

const interned = new Map<string, WeakRef<Subscription>>();
const forgotten = new FinalizationRegistry<string>((key) => {
  if (interned.get(key)?.deref() === undefined) interned.delete(key);
});

/** The one object for a set of names. */
export function subscription(wildcard: boolean, names: ReadonlySet<string>): Subscription {
  if (names.size === 0) return wildcard ? EVERYTHING : NOTHING;
  const key = shortHash(`${wildcard}\n${[...names].sort().map((name) => JSON.stringify(name)).join("\n")}`, 40);
  const known = interned.get(key)?.deref();
  if (known) return known;
  const made: Subscription = { wildcard, names: new Set(names) };
  interned.set(key, new WeakRef(made));
  forgotten.register(made, key);
  return made;
}

/**
 * The subscription that a state-of-the-world request states in full. `*` among the names means everything; an empty list
 * means everything only as long as the client never named anything (`legacyWildcard`); an empty-string name is a name.
 * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#how-the-client-specifies-what-resources-to-return
 */
export function statedSubscription(
  current: Subscription | undefined,
  names: readonly string[],
  legacyWildcard: boolean,
): Subscription {
  if (names.length === 0) {
    const neverNamed = current === undefined || (current.wildcard && current.names.size === 0);
    return neverNamed && legacyWildcard ? EVERYTHING : NOTHING;
  }
  if (current && sameNames(current, names)) return current;
  const set = new Set(names);
  return subscription(set.delete("*"), set);
}

function sameNames(current: Subscription, names: readonly string[]): boolean {
  if (names.length !== current.names.size + (current.wildcard ? 1 : 0)) return false;
  let wildcard = false;
  for (const name of names) {
    if (name === "*") wildcard = true;
    else if (!current.names.has(name)) return false;
  }
  return wildcard === current.wildcard;
}

/**
 * The subscription after a delta request. The first request of a type that subscribes to no name means everything where
 * `legacyWildcard` allows it. Unsubscribing from `*` leaves the names.
 * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#wildcard
 */
export function changedSubscription(
  current: Subscription | undefined,
  change: { readonly subscribe: readonly string[]; readonly unsubscribe: readonly string[] },
  legacyWildcard: boolean,
): Subscription {
  if (current === undefined && change.subscribe.length === 0) return legacyWildcard ? EVERYTHING : NOTHING;
  if (current !== undefined && change.subscribe.length === 0 && change.unsubscribe.length === 0) return current;
  let wildcard = current?.wildcard ?? false;
  const names = new Set(current?.names);
  for (const name of change.subscribe) {
    if (name === "*") wildcard = true;
    else names.add(name);
  }
  for (const name of change.unsubscribe) {
    if (name === "*") wildcard = false;
    else names.delete(name);
  }
  return subscription(wildcard, names);
}
