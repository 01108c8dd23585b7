import type { EnvoyConfigRevisionStatus, EnvoyConfigStatus } from "../../api/mod.ts";
import { ChanceryError, formatKey, type ObjectKey } from "../../base/mod.ts";
import type { StoredObject } from "../../store/mod.ts";
import type {
  ClientsDocument,
  ConfigDocument,
  ConfigsDocument,
  ConfigsQuery,
  HistoryDocument,
  RefusalDocument,
  RevisionDocument,
} from "./configs_document.ts";
import type { FindingStatus } from "./finding_status.ts";
import { virtualServiceDocuments } from "./virtual_services.ts";

/** Where the objects are read. */
export interface ObjectReader {
  get(key: ObjectKey): Promise<StoredObject | undefined>;
  /** Those of a namespace, or all of them. */
  list(kind: string, query?: { readonly namespace?: string }): Promise<{ readonly items: readonly StoredObject[] }>;
}

/** Who knows the clients. */
export interface ClientsSource {
  /** Those of the node id that an EnvoyConfig is served to; `undefined` where nobody knows. */
  of(config: ServedConfig): Promise<ClientsDocument | undefined> | ClientsDocument | undefined;
  /** Those that ask for a node id which is none of these. */
  strays(known: ReadonlySet<string>): ConfigsDocument["strays"];
}

/** An EnvoyConfig whose clients are asked for. */
export interface ServedConfig {
  readonly uid: string;
  readonly nodeId: string;
  readonly status: EnvoyConfigStatus;
  /** Status of one of its revisions. */
  revision(version: string): Promise<EnvoyConfigRevisionStatus | undefined>;
}

/** What EnvoyConfigs are told about. */
export interface ConfigsParts {
  readonly objects: ObjectReader;
  readonly clients: ClientsSource;
  /** What there is to mend. */
  findings(): readonly FindingStatus[];
  /** What there is to say about the source as a whole, once everything else was asked for. */
  details(): readonly string[];
}

/** The EnvoyConfigs that are meant, each with its clients. */
export async function configsDocument(parts: ConfigsParts, query: ConfigsQuery): Promise<ConfigsDocument> {
  const { namespace, name } = query;
  const { objects, clients, findings } = parts;
  const within = namespace === undefined ? {} : { namespace };
  const [{ items }, virtualServices] = await Promise.all([
    objects.list("EnvoyConfig", within),
    name === undefined ? virtualServiceDocuments(objects, within) : [],
  ]);
  const winners = new Winners(objects);
  const wanted = items.filter(({ metadata }) => name === undefined || metadata.name === name);
  const configs = await Promise.all(wanted.map((object) => configDocument(object, { ...parts, winners })));
  return {
    now: new Date().toISOString(),
    configs,
    strays: namespace === undefined ? clients.strays(new Set(items.flatMap((object) => nodeIdOf(object) ?? []))) : [],
    findings: findings(),
    details: parts.details(),
    ...(virtualServices.length > 0 && { virtualServices }),
  };
}

/** One EnvoyConfig with its revisions. Throws `not-found`. */
export async function historyDocument(parts: ConfigsParts, key: ObjectKey): Promise<HistoryDocument> {
  const { objects } = parts;
  const object = await objects.get(key);
  if (!object) throw new ChanceryError("not-found", `Cannot find ${formatKey(key)}: there is no such object`);
  const { revisions = [] } = statusOf(object);
  const stored = await Promise.all(revisions.map(({ ref }) => revisionOf(objects, key.namespace, ref.name)));
  return {
    now: new Date().toISOString(),
    config: await configDocument(object, { ...parts, winners: new Winners(objects) }),
    revisions: stored.flatMap((revision) => revision ? revisionDocument(revision) : []).sort(byCreation),
  };
}

async function configDocument(
  object: StoredObject,
  { objects, clients, winners }: Pick<ConfigsParts, "objects" | "clients"> & { winners: Winners },
): Promise<ConfigDocument> {
  const { namespace, name, uid, labels = {}, generation, creationTimestamp } = object.metadata;
  const { revisions = [], ...status } = statusOf(object);
  const nodeId = nodeIdOf(object);
  const lost = hasLost(object);
  const servedFrom = lost ? (await winners.of(nodeId))?.metadata : undefined;
  const revision = async (version: string | undefined) => {
    const known = revisions.find((one) => one.version === version);
    return known && await revisionOf(objects, namespace, known.ref.name);
  };
  const refusal = status.cacheState === "InSync" ? undefined : refusalOf(await revision(status.desiredVersion));
  const served = nodeId === undefined || lost ? undefined : await clients.of({
    uid,
    nodeId,
    status,
    revision: async (version) => {
      const found = await revision(version);
      return found && revisionStatusOf(found);
    },
  });
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
    ...(served && { clients: served }),
    ...(servedFrom && { servedFrom: { namespace: servedFrom.namespace, name: servedFrom.name } }),
  };
}

/** The EnvoyConfigs that their node ids are served from; looked for when somebody asks. */
class Winners {
  readonly #objects: ObjectReader;
  #found: Promise<ReadonlyMap<string, StoredObject>> | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  async of(nodeId = ""): Promise<StoredObject | undefined> {
    this.#found ??= this.#objects.list("EnvoyConfig").then(({ items }) =>
      new Map(items.filter((object) => !hasLost(object)).map((object) => [nodeIdOf(object) ?? "", object]))
    );
    return (await this.#found).get(nodeId);
  }
}

function hasLost(object: StoredObject): boolean {
  return statusOf(object).conditions?.some((one) => one.type === "Conflict" && one.status === "True") ?? false;
}

function revisionOf(objects: ObjectReader, namespace: string, name = ""): Promise<StoredObject | undefined> {
  return objects.get({ kind: "EnvoyConfigRevision", namespace, name });
}

function revisionDocument(object: StoredObject): RevisionDocument {
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

function refusalOf(revision: StoredObject | undefined): RefusalDocument | undefined {
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
function statusOf(object: StoredObject): EnvoyConfigStatus {
  return (object["status"] ?? {}) as EnvoyConfigStatus;
}

/** Written by us alone. */
function revisionStatusOf(object: StoredObject): EnvoyConfigRevisionStatus {
  return (object["status"] ?? {}) as EnvoyConfigRevisionStatus;
}

function nodeIdOf(object: StoredObject): string | undefined {
  const { nodeID } = (object["spec"] ?? {}) as { nodeID?: unknown }; // whatever it holds is looked at
  return typeof nodeID === "string" ? nodeID : undefined;
}
