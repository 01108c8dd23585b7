import type { EnvoyConfigRevisionStatus, EnvoyConfigStatus } from "../../api/mod.ts";
import { ChanceryError, formatKey, type ObjectKey } from "../../base/mod.ts";
import type { Store } from "../../store/mod.ts";
import type { FindingLog } from "../../telemetry/mod.ts";
import { type Hub, hubStatus } from "../../xds/mod.ts";
import {
  type ConfigDocument,
  type ConfigsDocument,
  type ConfigsQuery,
  findingStatus,
  type HistoryDocument,
  type RefusalDocument,
  type RevisionDocument,
} from "../admin/mod.ts";
import { clientsDocument } from "./clients.ts";

type Stored = NonNullable<Awaited<ReturnType<Store["get"]>>>;
type HubNode = ReturnType<typeof hubStatus>[number];

/** What EnvoyConfigs are told about. */
export interface ConfigsParts {
  readonly store: Store;
  readonly hub: Hub;
  readonly findings: FindingLog;
  /** What there is to say about the process as a whole. */
  details(): readonly string[];
}

/** The EnvoyConfigs of the store, each with its clients. */
export async function configsDocument(
  { store, hub, findings, details }: ConfigsParts,
  { namespace, name }: ConfigsQuery,
): Promise<ConfigsDocument> {
  const nodes = new Map(hubStatus(hub).map((node) => [node.id, node]));
  const { items } = await store.list("EnvoyConfig");
  const winners = winnersOf(items);
  const wanted = items.filter(({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) && (name === undefined || metadata.name === name)
  );
  const known = new Set(items.map(nodeIdOf));
  return {
    now: new Date().toISOString(),
    details: details(),
    configs: await Promise.all(wanted.map((object) => configDocument(object, { store, hub, nodes, winners }))),
    strays: [...nodes.values()].filter(({ id, streams }) => streams.length > 0 && !known.has(id)).map((node) => ({
      nodeId: node.id,
      clients: clientsDocument(hub, node),
    })),
    findings: findings.open().map(findingStatus),
  };
}

/** One EnvoyConfig with its revisions. Throws `not-found`. */
export async function historyDocument({ store, hub }: ConfigsParts, key: ObjectKey): Promise<HistoryDocument> {
  const object = await store.get(key);
  if (!object) throw new ChanceryError("not-found", `Cannot find ${formatKey(key)}: there is no such object`);
  const nodes = new Map(hubStatus(hub).map((node) => [node.id, node]));
  const winners = winnersOf((await store.list(key.kind)).items);
  const { revisions = [] } = statusOf(object);
  const stored = await Promise.all(revisions.map(({ ref }) => revisionOf(store, key.namespace, ref.name)));
  return {
    now: new Date().toISOString(),
    config: await configDocument(object, { store, hub, nodes, winners }),
    revisions: stored.flatMap((revision) => revision ? revisionDocument(revision) : []).sort(byCreation),
  };
}

async function configDocument(
  object: Stored,
  { store, hub, nodes, winners }: {
    store: Store;
    hub: Hub;
    nodes: ReadonlyMap<string, HubNode>;
    winners: ReadonlyMap<string, Stored>;
  },
): Promise<ConfigDocument> {
  const { namespace, name, uid, labels = {}, generation, creationTimestamp } = object.metadata;
  const { revisions = [], ...status } = statusOf(object);
  const nodeId = nodeIdOf(object);
  const servedFrom = hasLost(object) ? winners.get(nodeId ?? "")?.metadata : undefined;
  const node = nodeId === undefined ? undefined : nodes.get(nodeId) ?? { id: nodeId, streams: [] };
  const wanted = status.cacheState === "InSync"
    ? undefined
    : revisions.find(({ version }) => version === status.desiredVersion);
  const refusal = refusalOf(wanted && await revisionOf(store, namespace, wanted.ref.name));
  return {
    namespace,
    name,
    uid,
    labels,
    generation,
    createdAt: creationTimestamp,
    ...(nodeId !== undefined && { nodeId }),
    status,
    ...(refusal && { refusal }),
    ...(node && !hasLost(object) && { clients: clientsDocument(hub, node) }),
    ...(servedFrom && { servedFrom: { namespace: servedFrom.namespace, name: servedFrom.name } }),
  };
}

/** The EnvoyConfigs that their node ids are served from. */
function winnersOf(configs: readonly Stored[]): ReadonlyMap<string, Stored> {
  return new Map(configs.filter((object) => !hasLost(object)).map((object) => [nodeIdOf(object) ?? "", object]));
}

function hasLost(object: Stored): boolean {
  return statusOf(object).conditions?.some((one) => one.type === "Conflict" && one.status === "True") ?? false;
}

function revisionOf(store: Store, namespace: string, name = ""): Promise<Stored | undefined> {
  return store.get({ kind: "EnvoyConfigRevision", namespace, name });
}

function revisionDocument(object: Stored): RevisionDocument {
  const { name, creationTimestamp } = object.metadata;
  const { published = false, lastPublishedAt, clients = {} } = revisionStatusOf(object);
  const refusal = refusalOf(object);
  return {
    version: String((object["spec"] as { version?: unknown }).version ?? ""), // written by us
    name,
    createdAt: creationTimestamp,
    published,
    ...(lastPublishedAt !== undefined && { lastPublishedAt }),
    ...(refusal && { refusal }),
    clients,
  };
}

function refusalOf(revision: Stored | undefined): RefusalDocument | undefined {
  const { conditions = [] } = revision ? revisionStatusOf(revision) : {};
  const tainted = conditions.find(({ type, status }) => type === "RevisionTainted" && status === "True");
  return tainted && { reason: tainted.reason, message: tainted.message, at: tainted.lastTransitionTime };
}

/** Of equally old ones, that comes first which was published first. */
function byCreation(a: RevisionDocument, b: RevisionDocument): number {
  return orderOf(a) < orderOf(b) ? -1 : 1;
}

function orderOf({ createdAt, lastPublishedAt, name }: RevisionDocument): string {
  return `${createdAt} ${lastPublishedAt ?? "~"} ${name}`;
}

/** Written by us alone. */
function statusOf(object: Stored): EnvoyConfigStatus {
  return (object["status"] ?? {}) as EnvoyConfigStatus;
}

/** Written by us alone. */
function revisionStatusOf(object: Stored): EnvoyConfigRevisionStatus {
  return (object["status"] ?? {}) as EnvoyConfigRevisionStatus;
}

function nodeIdOf(object: Stored): string | undefined {
  const { nodeID } = (object["spec"] ?? {}) as { nodeID?: unknown }; // whatever it holds is looked at
  return typeof nodeID === "string" ? nodeID : undefined;
}
