import { type KubeObject, objectTitle } from "../install/mod.ts";

/** `first`: has to be done before; `changes`: will be otherwise than it is; `stays`: is kept, to set a mind at rest. */
export type Weight = "first" | "changes" | "stays";

/** One thing that somebody who changes over should know. */
export interface Remark {
  readonly weight: Weight;
  /** `kind.group/namespace/name`; null when it is about several. */
  readonly object: string | null;
  /** One sentence without a full stop. */
  readonly message: string;
  /** What to type; null when nothing has to be done. */
  readonly next: string | null;
}

/** A remark about one object. */
export function remarkOn(object: KubeObject, weight: Weight, { message, next = null }: {
  readonly message: string;
  readonly next?: string | null;
}): Remark {
  return { weight, object: objectTitle(object), message, next };
}

const ORDER: readonly Weight[] = ["first", "changes", "stays"];

/** What has to be done first first; otherwise in the order in which it is said. */
export function byWeight(remarks: readonly Remark[]): Remark[] {
  return ORDER.flatMap((weight) => remarks.filter((remark) => remark.weight === weight));
}

/** `kubectl …` for an object: in its namespace. */
export function kubectl({ metadata: { namespace } }: KubeObject, words: string): string {
  return `kubectl${namespace === undefined ? "" : ` -n ${namespace}`} ${words}`;
}
