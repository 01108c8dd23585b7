import type { Difference, View } from "../view.ts";

/** One response to be written: what it says, not yet its bytes. */
export interface Send {
  readonly typeUrl: string;
  /** Eight hexadecimal digits, counting up per stream: of fixed width, so that all before it can be shared. */
  readonly nonce: string;
  /** What the client is told as version of the whole response. */
  readonly version: string;
  readonly payload: { readonly protocol: "sotw"; readonly view: View } | {
    readonly protocol: "delta";
    readonly difference: Difference;
  };
}

/** The `n`-th nonce of a stream. */
export function nonceOf(n: number): string {
  return n.toString(16).padStart(8, "0");
}
