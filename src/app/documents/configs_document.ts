import type { EnvoyConfigStatus, ReplicaReport } from "../../api/mod.ts";
import type { VirtualServiceStatus } from "../../api/virtual_service/mod.ts";
import type { Json, ObjectKey } from "../../base/mod.ts";
import type { FindingStatus } from "./finding_status.ts";

/** Which EnvoyConfigs are meant. */
export interface ConfigsQuery {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** `GET /configs`: every EnvoyConfig with what became of it. Times are RFC 3339. Additive, as `/status` is. */
export interface ConfigsDocument {
  /** When this was true. */
  readonly now: string;
  /** Why not all of it may be known yet, or why it may not last; empty when everything is as it should be. */
  readonly details: readonly string[];
  readonly configs: readonly ConfigDocument[];
  /** Node ids that clients ask for and no EnvoyConfig has. */
  readonly strays: readonly { readonly nodeId: string; readonly clients: ClientsDocument }[];
  readonly findings: readonly FindingStatus[];
  /** Absent where there are none, or where one EnvoyConfig was asked for. */
  readonly virtualServices?: readonly VirtualServiceDocument[];
}

/** One VirtualService: what Kubernetes would say of it. */
export interface VirtualServiceDocument {
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly createdAt: string;
  /** As the object has it, but for what single replicas tell. */
  readonly status: Omit<VirtualServiceStatus, "replicas">;
}

/** One EnvoyConfig: what Kubernetes would say of it, and who is connected. */
export interface ConfigDocument {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly generation: number;
  readonly createdAt: string;
  /** Absent when the object has none that can be read. */
  readonly nodeId?: string;
  /** As the object has it, but for the revisions, which `/history` tells. */
  readonly status: Omit<EnvoyConfigStatus, "revisions">;
  /** Why the version that is wanted must not be served. */
  readonly refusal?: RefusalDocument;
  /** Absent when another EnvoyConfig has the same node id, and the clients; and where nobody knows of any. */
  readonly clients?: ClientsDocument;
  /** That other EnvoyConfig. */
  readonly servedFrom?: { readonly namespace: string; readonly name: string };
}

/** Why a version must not be served. */
export interface RefusalDocument {
  readonly reason: string;
  readonly message: string;
  readonly at: string;
}

/** The connected clients of one node id, and what they made of the configuration that is on offer. */
export interface ClientsDocument {
  /** What is on offer; absent when nothing is. */
  readonly publication?: string;
  readonly connected: number;
  /** Of these, clients that accepted every type they ask for. */
  readonly accepted: number;
  readonly rejected: number;
  /** Clients that refused only what was made of Secrets and endpoints. */
  readonly refusedData: number;
  /** Clients that have not answered everything yet. */
  readonly pending: number;
  /** Absent where only the reports of replicas are known, as are the next two. */
  readonly streams?: { readonly delta: number; readonly sotw: number };
  /** How many say that they are what: `envoy 1.40.0`. */
  readonly userAgents?: Readonly<Record<string, number>>;
  /** What is held back, and why. */
  readonly holds?: readonly HoldDocument[];
  /** The first refusals, in the clients' own words. */
  readonly rejections: readonly RejectionDocument[];
}

/** The same thing held back on a number of streams. */
export interface HoldDocument {
  readonly type: string;
  readonly waitingFor: string;
  /** When the first began. */
  readonly since: string;
  readonly streams: number;
}

/** One refusal. */
export interface RejectionDocument {
  readonly client: string;
  /** `LDS`, or a type URL outside Envoy's table. */
  readonly type: string;
  readonly version: string;
  readonly message: string;
  readonly at: string;
}

/** `GET /history`: one EnvoyConfig and its revisions, in the order they were made. */
export interface HistoryDocument {
  readonly now: string;
  readonly config: ConfigDocument;
  readonly revisions: readonly RevisionDocument[];
}

/** One revision. */
export interface RevisionDocument {
  readonly version: string;
  /** Name of the EnvoyConfigRevision. */
  readonly name: string;
  readonly createdAt: string;
  readonly published: boolean;
  readonly lastPublishedAt?: string;
  readonly refusal?: RefusalDocument;
  /** What clients made of it, by replica, when it was on offer last. */
  readonly clients: Readonly<Record<string, ReplicaReport>>;
}

/** `GET /served`: what one node id is served. */
export interface ServedDocument {
  readonly nodeId: string;
  readonly publication: string;
  readonly resources: readonly ServedResource[];
  /** What is left out because it is made of objects that are missing, or must not be read; absent in a process that serves. */
  readonly unknown?: readonly UnknownResource[];
}

/** A resource of which nobody can tell how it looks. */
export interface UnknownResource {
  readonly type: string;
  readonly name: string;
  readonly why: string;
}

/** One resource as it is served. */
export interface ServedResource {
  /** `CDS`, `LDS`, … */
  readonly type: string;
  readonly name: string;
  /** Hash of the content. */
  readonly version: string;
  /** Whether it was made of a Secret or of EndpointSlices. */
  readonly external: boolean;
  /** The message as JSON, secrets redacted; only of those that were asked for by `resource=TYPE/NAME`. */
  readonly body?: Json;
}

/** What `POST /rollback` is told. */
export interface RollbackRequest {
  readonly key: ObjectKey;
  /** The object that is meant; another of the same name is left alone. */
  readonly uid: string;
  /** Hold this version, or clear the taint of the wanted one and end the pin. */
  readonly action: { readonly pin: string } | { readonly retry: true };
}

/** What was asked for, by which its effect can be told. */
export interface RollbackAnswer {
  /** The version that is to be served. */
  readonly version: string;
  /** Whether that was not asked for already. */
  readonly changed: boolean;
  /** Value of the annotation that asks for it. */
  readonly pin?: string;
  readonly retry?: string;
}
