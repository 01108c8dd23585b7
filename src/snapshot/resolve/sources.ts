import { type EndpointSlice, type LabelSelector, matchesSelector, type Secret } from "../../api/mod.ts";
import type { Finding } from "../../base/mod.ts";

/**
 * The objects of one namespace that items may draw from. An index answers, so that a large namespace is not searched for
 * every item; {@linkcode sourcesOf} makes one from plain lists.
 */
export interface Sources {
  secret(name: string): Secret | undefined;
  /** All slices that match, in any order. */
  slices(selector: LabelSelector): readonly EndpointSlice[];
}

/** Sources over lists, for tests and for few objects. */
export function sourcesOf(secrets: Iterable<Secret>, slices: readonly EndpointSlice[]): Sources {
  const byName = new Map([...secrets].map((secret) => [secret.metadata.name, secret]));
  return {
    secret: (name) => byName.get(name),
    slices: (selector) => slices.filter((slice) => matchesSelector(selector, slice.metadata.labels)),
  };
}

/** Why an item got nothing, or not everything, from the objects it names. */
export interface SourceProblem {
  readonly kind: "secret-not-found" | "secret-not-usable" | "endpoints-not-found";
  /** Names the object and says what is wrong, never with bytes of a Secret. */
  readonly message: string;
  /** Name of the Secret that does not exist. */
  readonly secret?: string;
}

/**
 * What an item's objects give. `value` is the resource in proto3 JSON. With a problem the last good resource is to be preferred
 * to `value`, and without either the item is left out: the rest flows on (W19).
 */
export interface Resolved {
  readonly value?: Readonly<Record<string, unknown>>;
  readonly problem?: SourceProblem;
  /** Smaller things worth telling, as warnings with paths relative to the item. */
  readonly notes?: readonly Finding[];
}
