/** A Lease of `coordination.k8s.io/v1`, as far as it matters here. */
export interface Lease {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Who has it; empty when it was given back. */
  readonly holder: string;
  /** How long the holder promises to renew it at the latest, in milliseconds. */
  readonly durationMs: number;
  /** RFC 3339 with microseconds, by the holder's clock: to be compared with itself, never with ours. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often it went from one holder to another. */
  readonly transitions: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What is to be written into a Lease; the rest of the object stays as it is. */
export interface LeaseContent {
  readonly holder: string;
  readonly durationMs: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Those that are not named stay as they are. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Reads what the API server sent; `undefined` when it is no Lease. */
export function parseLease(value: unknown): Lease | undefined {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return undefined;
  // The API server validates; whatever else may come is looked at field by field.
  const { metadata, spec } = value as { metadata?: Record<string, unknown>; spec?: Record<string, unknown> };
  const { name, uid, resourceVersion, labels, annotations } = metadata ?? {};
  if (typeof name !== "string" || typeof uid !== "string" || typeof resourceVersion !== "string") return undefined;
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec ?? {};
  return {
    name,
    uid,
    resourceVersion,
    holder: typeof holderIdentity === "string" ? holderIdentity : "",
    durationMs: typeof leaseDurationSeconds === "number" ? leaseDurationSeconds * 1000 : 0,
    ...(typeof acquireTime === "string" && { acquireTime }),
    ...(typeof renewTime === "string" && { renewTime }),
    transitions: typeof leaseTransitions === "number" ? leaseTransitions : 0,
    labels: labels as Record<string, string> | undefined ?? {},
    annotations: annotations as Record<string, string> | undefined ?? {},
  };
}

/** The object to write. With the Lease that was read the write fails when somebody else was faster. */
export function leaseBody(
  content: LeaseContent,
  at: { readonly name: string; readonly namespace: string; readonly before?: Lease },
): Record<string, unknown> {
  const { name, namespace, before } = at;
  const annotations = { ...before?.annotations, ...content.annotations };
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name,
      namespace,
      labels: { ...before?.labels, ...content.labels },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(before && { uid: before.uid, resourceVersion: before.resourceVersion }),
    },
    spec: {
      holderIdentity: content.holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(content.durationMs / 1000)),
      acquireTime: content.acquireTime,
      renewTime: content.renewTime,
      leaseTransitions: content.transitions,
    },
  };
}

/** Kubernetes' MicroTime of milliseconds since the epoch. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
