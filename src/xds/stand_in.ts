import { resourceTypeOf } from "../envoy/mod.ts";
import type { Subscription } from "./subscription.ts";
import { type Entry, memoize, type View } from "./view.ts";

/** Version of a resource that nobody configured. */
const NOBODYS = "\u0000nobody's";

/**
 * Says in a state-of-the-world response that a name does not exist, for the two types where an empty message means just that:
 * a runtime layer without values, a cluster without endpoints. Envoy takes a response that lacks a name for no news and waits
 * its 15 s for it: at every start with a runtime layer that nobody fills (W8). A delta client is told by
 * `removed_resources`, and for other types an empty message would mean something else.
 */
export function withStandIns(view: View, asked: Subscription, typeUrl: string): View {
  const missing = [...asked.names].some((name) => !view.entries.has(name));
  return missing ? completed(view, asked)(typeUrl) : view;
}

const completed = memoize((view: View, asked: Subscription) => {
  const byType = new Map<string, View>();
  return (typeUrl: string): View => {
    let made = byType.get(typeUrl);
    if (!made) byType.set(typeUrl, made = complete(view, asked, typeUrl));
    return made;
  };
});

function complete(view: View, asked: Subscription, typeUrl: string): View {
  const entries = new Map<string, Entry>(view.entries);
  for (const name of asked.names) {
    if (entries.has(name)) continue;
    entries.set(name, { version: NOBODYS, resource: { typeUrl, name, version: NOBODYS, body: namedOnly(name) } });
  }
  return { entries };
}

/** A message whose first field, a string, is its name: true of Runtime and of ClusterLoadAssignment. */
function namedOnly(name: string): Uint8Array {
  const text = new TextEncoder().encode(name);
  const length: number[] = [];
  let rest = text.length;
  for (; rest >= 128; rest >>>= 7) length.push((rest & 127) | 128);
  return Uint8Array.from([0x0a, ...length, rest, ...text]);
}

/** Whether a missing name is told at once when it is asked for. */
export function standsInWhenAsked(typeUrl: string): boolean {
  const short = resourceTypeOf(typeUrl)?.short;
  return short === "RTDS" || short === "EDS";
}

/** Whether a name that vanishes is told, too: a runtime layer becomes empty, but endpoints last known stay. */
export function standsInForVanished(typeUrl: string): boolean {
  return resourceTypeOf(typeUrl)?.short === "RTDS";
}
