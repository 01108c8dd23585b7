import type { Finding } from "../../base/mod.ts";
import type { FileKind } from "./file_kind.ts";

/** What was read in a file. */
export interface Verdict {
  readonly kind: FileKind;
  /** With an error among them the file must not reach Envoy. */
  readonly findings: readonly Finding[];
  /** The clusters of a CDS file, by name, as they stand in it. */
  readonly clusters?: ReadonlyMap<string, unknown>;
}

/** Looks at the content of a file. Pure. */
export type Check = (path: string, bytes: Uint8Array) => Verdict;

/** For layouts whose files are no discovery responses. */
export function unchecked(): Verdict {
  return { kind: "other", findings: [] };
}
