/** One xDS resource, encoded. Immutable; the body is shared by every stream that gets it. */
export interface Resource {
  /** `type.googleapis.com/` and the message's full name. */
  readonly typeUrl: string;
  /** The name clients subscribe to. The empty string is a name like any other. */
  readonly name: string;
  /** Content hash of {@linkcode body}, or what the embedding program gave. Never empty. */
  readonly version: string;
  /** The serialized message: the `value` of the `Any` on the wire. */
  readonly body: Uint8Array;
  /** Clusters only: the ClusterLoadAssignment that Envoy will wait for while the cluster warms. */
  readonly endpointsName?: string;
  /** Made from a Secret or EndpointSlices: when a client refuses it, the spec is not to blame. */
  readonly external?: true;
  /** Virtual hosts only: their domains, by which on-demand requests find them. */
  readonly domains?: readonly string[];
}
