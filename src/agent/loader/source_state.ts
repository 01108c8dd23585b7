/** One file as an object, or a directory, gives it. */
export interface SourceFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether only the owner and the group may read it. */
  readonly secret: boolean;
  /** Who gives it, as people know it: `configmap shop/envoy-xds`. */
  readonly owner: string;
}

/** Files of one object by their path below the output. */
export type SourceFiles = ReadonlyMap<string, SourceFile>;

/**
 * What is known of a source. Nothing is known (`unknown`) while it cannot be asked: what it gave last then stays. `missing` is
 * an answer: it gives nothing.
 */
export type SourceState =
  | { readonly kind: "present"; readonly objects: readonly SourceFiles[] }
  | { readonly kind: "missing" }
  | { readonly kind: "unknown" };
