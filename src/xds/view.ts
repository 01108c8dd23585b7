import type { Resource, TypeSnapshot } from "../snapshot/mod.ts";
import { shortHash } from "../base/hash/mod.ts";
import type { Subscription } from "./subscription.ts";

/** Version of an entry of which the client may or may not have the latest: the response that carried it was refused, or the cluster that needs it warms anew. */
const DOUBTED = "\u0000doubted";
/** Version of an entry that the client asked for and has not been told about. */
const ASKED = "\u0000asked";

/** What a client holds, or shall hold, under one name. */
export interface Entry {
  /** The resource's version; one of two markers when the client's version is not known. */
  readonly version: string;
  /** Absent when only the client knows it (`initial_resource_versions`), or when nothing of that name exists. */
  readonly resource?: Resource;
}

/**
 * What one client holds of one type: name → entry. Immutable and shared: streams in the same situation hold the same object,
 * because every transition between views is remembered by the identity of what went in. So a thousand equal streams cost one
 * diff, one map and one encoding.
 */
export interface View {
  readonly entries: ReadonlyMap<string, Entry>;
}

/** Whether the version is one that was sent or claimed, and not a marker. */
export function isKnown(entry: Entry): boolean {
  return !entry.version.startsWith("\u0000");
}

/** The view of a client that holds nothing. */
export const EMPTY_VIEW: View = { entries: new Map() };

/** What to send to lead a client from one view to another. */
export interface Difference {
  /** The view that is reached. */
  readonly to: View;
  /** Subscribed name → resource, in the order of the target view. */
  readonly changed: ReadonlyMap<string, Entry>;
  readonly removed: readonly string[];
}

/** Remembers a function of two objects for as long as both live. */
export function memoize<A extends object, B extends object, R>(compute: (a: A, b: B) => R): (a: A, b: B) => R {
  const known = new WeakMap<A, WeakMap<B, R>>();
  return (a, b) => {
    let inner = known.get(a);
    if (!inner) known.set(a, inner = new WeakMap());
    let result = inner.get(b);
    if (result === undefined) inner.set(b, result = compute(a, b));
    return result;
  };
}

/** The same for three objects. */
function memoize3<A extends object, B extends object, C extends object, R>(
  compute: (a: A, b: B, c: C) => R,
): (a: A, b: B, c: C) => R {
  const known = new WeakMap<A, (b: B, c: C) => R>();
  return (a, b, c) => {
    let rest = known.get(a);
    if (!rest) known.set(a, rest = memoize((b: B, c: C) => compute(a, b, c)));
    return rest(b, c);
  };
}

const wholeViews = new WeakMap<TypeSnapshot, View>();

/** The view of a client that holds everything of a type. */
export function viewOf(type: TypeSnapshot): View {
  let view = wholeViews.get(type);
  if (!view) {
    const entries = new Map<string, Entry>();
    for (const [name, resource] of type.resources) entries.set(name, { version: resource.version, resource });
    wholeViews.set(type, view = { entries });
  }
  return view;
}

const differences = memoize((_from: View, _to: View): { ref?: WeakRef<Difference> } => ({}));

/**
 * What leads from one view to another; the same object for the same pair, as long as anybody uses it: streams that all ask for
 * something else would otherwise each keep what they were once sent.
 */
export function difference(from: View, to: View): Difference {
  const memory = differences(from, to);
  let known = memory.ref?.deref();
  if (!known) memory.ref = new WeakRef(known = compare(from, to));
  return known;
}

function compare(from: View, to: View): Difference {
  const changed = new Map<string, Entry>();
  const removed: string[] = [];
  if (from !== to) {
    for (const [name, entry] of to.entries) {
      const held = from.entries.get(name);
      if (held?.version !== entry.version || renamed(held, entry)) changed.set(name, entry);
    }
    for (const [name, entry] of from.entries) {
      const next = to.entries.get(name);
      if (!next) removed.push(name);
      else if (entry.resource && renamed(entry, next)) removed.push(entry.resource.name);
    }
  }
  return { to, changed, removed };
}

/** An on-demand name may come to stand for another virtual host. */
function renamed(held: Entry, next: Entry): boolean {
  return held.resource !== undefined && held.resource.name !== next.resource?.name && next.resource !== undefined;
}

/** Whether nothing needs to be sent. */
export function isEmpty(d: Difference): boolean {
  return d.changed.size === 0 && d.removed.length === 0;
}

/** The target, and what the client holds beyond it (make before break); names that were only asked for do not stay. */
export const retain: (target: View, held: View) => View = memoize((target: View, held: View) => {
  const extras = [...held.entries].filter(([name, entry]) => entry.version !== ASKED && !target.entries.has(name));
  return extras.length === 0 ? target : { entries: new Map([...target.entries, ...extras]) };
});

/** The view without what was unsubscribed. */
export const without: (view: View, names: Subscription) => View = memoize((view: View, names: Subscription) => {
  if (!hasAny(view, names.names)) return view;
  const entries = new Map(view.entries);
  for (const name of names.names) entries.delete(name);
  return { entries };
});

function hasAny(view: View, names: ReadonlySet<string>): boolean {
  for (const name of names) if (view.entries.has(name)) return true;
  return false;
}

/**
 * Marks names of which the client may or may not have the latest. What it had before, as far as that is known, stays with
 * them: a state-of-the-world response that must still list a name can only list that.
 */
export const doubt: (view: View, before: View, names: readonly string[]) => View = memoize3(
  (view: View, before: View, names: readonly string[]) => {
    if (names.length === 0) return view;
    const entries = new Map(view.entries);
    for (const name of names) {
      const resource = before.entries.get(name)?.resource;
      entries.set(name, resource ? { version: DOUBTED, resource } : { version: DOUBTED });
    }
    return { entries };
  },
);

/** Marks names that wait for an answer. */
export const ask: (view: View, names: Subscription) => View = memoize((view: View, names: Subscription) => {
  if (names.names.size === 0) return view;
  const entries = new Map(view.entries);
  for (const name of names.names) entries.set(name, { version: ASKED });
  return { entries };
});

/** Some names as in one view, all others as in another. */
export const merge: (rest: View, named: View, names: Subscription) => View = memoize3(
  (rest: View, named: View, names: Subscription) => {
    const entries = new Map(rest.entries);
    for (const name of names.names) {
      const entry = named.entries.get(name);
      if (entry) entries.set(name, entry);
      else entries.delete(name);
    }
    return { entries };
  },
);

/** Some names of a view only. */
export const only: (view: View, names: Subscription) => View = memoize((view: View, names: Subscription) =>
  merge(EMPTY_VIEW, view, names)
);

/**
 * The endpoints a client holds after a CDS response: those of new and changed clusters are in doubt, because Envoy does not
 * ask again for endpoints it has subscribed to, and the warming cluster waits until they are sent once more.
 */
export const rewarm: (endpoints: View, clusters: Difference) => View = memoize(
  (endpoints: View, clusters: Difference) => {
    const names: string[] = [];
    for (const { resource } of clusters.changed.values()) {
      const name = resource?.endpointsName;
      if (name !== undefined && endpoints.entries.has(name)) names.push(name);
    }
    return doubt(endpoints, endpoints, names);
  },
);

const names = new WeakMap<View | Difference, readonly string[]>();

/** All names of a view, or all that a difference names, removed ones included; the same array for the same object. */
export function namesOf(what: View | Difference): readonly string[] {
  let list = names.get(what);
  if (!list) {
    list = "entries" in what ? [...what.entries.keys()] : [...what.changed.keys(), ...what.removed];
    names.set(what, list);
  }
  return list;
}

const claims = new WeakMap<View, Map<string, WeakRef<View>>>();

/** What a client says it holds (`initial_resource_versions`); a shared view when several say the same. */
export function claimed(versions: ReadonlyMap<string, string>, expected: View): View {
  if (agree(versions, expected)) return expected;
  const entries = new Map<string, Entry>();
  for (const [name, version] of versions) {
    const known = expected.entries.get(name);
    entries.set(name, known?.version === version ? known : { version });
  }
  const view: View = { entries };
  let others = claims.get(expected);
  if (!others) claims.set(expected, others = new Map());
  const key = viewVersion(view);
  const other = others.get(key)?.deref();
  if (other) return other;
  others.set(key, new WeakRef(view));
  return view;
}

function agree(versions: ReadonlyMap<string, string>, { entries }: View): boolean {
  if (versions.size !== entries.size) return false;
  for (const [name, version] of versions) if (entries.get(name)?.version !== version) return false;
  return true;
}

const versions = new WeakMap<View, string>();

/** One version for all that a view says: a hash over its (name, version) pairs, so that what the client did not ask for never shows. */
export function viewVersion(view: View): string {
  let version = versions.get(view);
  if (version === undefined) {
    const pairs = [...view.entries].map(([name, entry]) => `${JSON.stringify(name)}:${entry.version}`).sort();
    versions.set(view, version = shortHash(pairs.join("\n"), 16));
  }
  return version;
}
