import type { FindingStatus } from "../documents/mod.ts";

/** `GET /status`. Times are RFC 3339. Additive: fields may be added, none changes its meaning. */
export interface StatusDocument {
  readonly version: string;
  readonly envoyApi: string;
  readonly startedAt: string;
  readonly ready: boolean;
  /** What is still missing, or not as it should be although traffic flows. */
  readonly details: readonly string[];
  /** Of a standalone. */
  readonly config?: ConfigStatus;
  /** Of a discovery service in a cluster. */
  readonly cluster?: ClusterStatus;
  readonly store: { readonly writable: boolean; readonly problem?: string };
  readonly xds: XdsStatus;
  readonly nodes: readonly NodeStatus[];
  readonly findings: readonly FindingStatus[];
}

/** The directory that is served. */
export interface ConfigStatus {
  readonly dir: string;
  readonly files: number;
  readonly objects: number;
  /** Documents of kinds that are not served here, by kind. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly scannedAt?: string;
}

/** One replica of a discovery service, and what it knows of the others. */
export interface ClusterStatus {
  /** URL of the API server. */
  readonly server: string;
  /** Namespaces that are served; empty for all. */
  readonly namespaces: readonly string[];
  readonly replica: { readonly name: string; readonly bootId: string };
  /** Who leads, as far as this replica knows. */
  readonly leader: { readonly name?: string; readonly self: boolean; readonly lease: string };
  /** Replicas that live, this one included. */
  readonly replicas: readonly ReplicaStatus[];
  readonly watches: readonly WatchStatus[];
  /** Since when nothing is said to Envoys, because what is known may be old; absent while it is not. */
  readonly pausedSince?: string;
}

/** One replica that lives. */
export interface ReplicaStatus {
  readonly name: string;
  readonly bootId: string;
  /** SHA-256 of each certificate that clients' ones may come from, as it told last; absent while it serves none by mutual TLS. */
  readonly trusts?: readonly string[];
}

/** One watch on the API server. */
export interface WatchStatus {
  readonly kind: string;
  /** Absent for all namespaces. */
  readonly namespace?: string;
  readonly state: "listing" | "current" | "resuming";
  /** When it got into this state. */
  readonly since: string;
  readonly problem?: string;
}

/** The server that Envoys connect to. */
export interface XdsStatus {
  /** Absent until it is bound. */
  readonly address?: string;
  readonly tls?: { readonly subject: string; readonly notAfter: string; readonly fingerprint: string };
}

/** One node id: known from an EnvoyConfig, a stream, or both. */
export interface NodeStatus {
  readonly nodeId: string;
  /** Revision on offer; absent when there is no configuration for this node id. */
  readonly revision?: string;
  readonly streams: readonly StreamStatus[];
}

/** One connection of one client. */
export interface StreamStatus {
  readonly id: string;
  readonly protocol: "sotw" | "delta";
  readonly peer: string;
  /** Subject of the client's certificate. */
  readonly certificate?: string;
  /** `envoy 1.40.0`: name and version as the client says them. */
  readonly client: string;
  readonly connectedAt: string;
  readonly types: readonly TypeStatus[];
}

/** One resource type on one stream. */
export interface TypeStatus {
  /** `CDS`, `LDS`, …, or the type URL of a type outside Envoy's table. */
  readonly type: string;
  /** Number of names asked for, `*` for all. */
  readonly subscribed: number | "*";
  /** Version of the last response. */
  readonly sent?: string;
  /** Version that the client acknowledged last. */
  readonly accepted?: string;
  /** The last response that was refused and not made good since, in Envoy's own words. */
  readonly rejected?: {
    readonly version: string;
    readonly message: string;
    readonly at: string;
    readonly attempts: number;
  };
  /** Why something is held back. */
  readonly hold?: { readonly waitingFor: string; readonly since: string; readonly until?: string };
}
