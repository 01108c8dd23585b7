/** A request of either protocol, decoded; fields that the protocol does not have are empty. */
export interface XdsRequest {
  readonly typeUrl: string;
  /** Empty in the first request of a type. */
  readonly nonce: string;
  /** Set when the response with this nonce was refused. */
  readonly error: { readonly code: number; readonly message: string } | undefined;
  /** State of the world: the version the client has applied last; empty on a fresh client. */
  readonly version: string;
  /** State of the world: all names. */
  readonly names: readonly string[];
  /** Delta: names that are new, and that are no longer wanted. */
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** Delta: what the client brings along from an earlier stream. */
  readonly initialVersions: ReadonlyMap<string, string>;
}
