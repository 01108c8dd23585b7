import { VIRTUAL_SERVICE } from "../../api/virtual_service/mod.ts";
import { ChanceryError, type ObjectKey, systemClock } from "../../base/mod.ts";
import { ApiError, type KubeConnection, resourceOf } from "../../store/kubernetes/mod.ts";
import type { ListQuery } from "../../store/mod.ts";
import { ClusterAccess, type ClusterAccessOptions, connectAsUser } from "../cluster_access/mod.ts";
import {
  type ConfigsDocument,
  configsDocument,
  type ConfigsQuery,
  type HistoryDocument,
  historyDocument,
  type RollbackAnswer,
  type RollbackRequest,
  type ServedDocument,
} from "../documents/mod.ts";
import { CountedClients } from "./counted_clients.ts";
import { followConfigs } from "./follow.ts";
import { Look, type Objects } from "./look.ts";
import { ReplicaSigns } from "./replica_signs.ts";
import type { Rebuilt } from "./served.ts";

/** Which EnvoyConfigs are meant. */
export interface ClusterQuery extends ConfigsQuery {
  readonly labels?: ListQuery["labels"] | undefined;
}

/** A cluster as whoever the kubeconfig names may see it. Asks nothing yet. */
export async function openCluster(options: ClusterAccessOptions): Promise<Cluster> {
  return new Cluster(await connectAsUser(options));
}

/** The objects of a cluster, put together as documents. Failures name what was asked and what is missing to be allowed to. */
export class Cluster extends ClusterAccess {
  readonly #clients = new CountedClients(systemClock);
  readonly #replicas: ReplicaSigns;
  readonly #rebuilt = new Map<string, Promise<Rebuilt>>();

  constructor(connection: KubeConnection) {
    super(connection, [resourceOf(VIRTUAL_SERVICE)]);
    this.#replicas = new ReplicaSigns({ list: (...query) => this.store.list(...query) }, systemClock);
  }

  async configs(query: ClusterQuery): Promise<ConfigsDocument> {
    const [objects] = await Promise.all([this.#find(query), this.#replicas.look(query.namespace)]);
    return await this.#document(objects, query);
  }

  /** The documents that {@linkcode configs} would give, as the cluster tells of changes. */
  async *follow(
    query: ClusterQuery,
    { everyMs, signal }: { everyMs: number; signal?: AbortSignal | undefined },
  ): AsyncGenerator<ConfigsDocument> {
    const objects = await this.#find(query);
    await this.#replicas.look(query.namespace);
    const look = new Look(this.store, objects);
    yield await this.#document(objects, query, look);
    for await (
      const { configs, problems } of followConfigs({ connection: this.connection, query, everyMs, signal })
    ) {
      await this.#replicas.look(query.namespace);
      const document = await this.#document(configs, query, look);
      yield { ...document, details: [...document.details, ...problems] };
    }
  }

  /** Throws `not-found`. */
  async history(key: ObjectKey): Promise<HistoryDocument> {
    const objects = await this.#find(key);
    const look = new Look(this.store, objects);
    await look.at(objects, key);
    return await historyDocument(this.#parts(look), key);
  }

  /** What a node id is served, with the bodies of `wanted`; throws `not-found`. */
  async served(
    nodeId: string,
    { namespace, wanted = [] }: { namespace: string; wanted?: readonly string[] },
  ): Promise<ServedDocument> {
    const { rebuild, rebuiltDocument } = await import("./served.ts");
    const id = `${namespace}/${nodeId}`;
    const known = this.#rebuilt.get(id) ?? rebuild(this.store, { nodeId, namespace });
    this.#rebuilt.set(id, known);
    return rebuiltDocument(await known, new Set(wanted));
  }

  /** Writes the annotation that asks for a rollback. */
  async rollback(request: RollbackRequest): Promise<RollbackAnswer> {
    const { requestRollback } = await import("../documents/rollback.ts");
    return await requestRollback(this.store, request, systemClock.now());
  }

  async #find({ namespace, name, labels }: ClusterQuery): Promise<Objects> {
    if (namespace !== undefined && name !== undefined) {
      const object = await this.store.get({ kind: "EnvoyConfig", namespace, name });
      return object ? [object] : [];
    }
    try {
      const { items } = await this.store.list("EnvoyConfig", {
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
      });
      return items;
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
      throw new ChanceryError(
        "not-found",
        `Cannot list EnvoyConfigs: the API server ${this.server} has no such kind, so Chancery is not installed there`,
        { cause: thrown },
      );
    }
  }

  async #document(objects: Objects, query: ClusterQuery, before?: Look): Promise<ConfigsDocument> {
    const look = before ?? new Look(this.store, objects);
    await look.at(objects, query);
    this.#clients.keep(new Set(objects.map(({ metadata }) => metadata.uid)));
    return await configsDocument(this.#parts(look), query);
  }

  #parts(look: Look) {
    return {
      objects: look,
      clients: this.#clients,
      findings: () => [],
      details: () => this.#replicas.problems(),
    };
  }
}
