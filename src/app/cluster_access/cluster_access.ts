import { systemClock } from "../../base/mod.ts";
import {
  connect,
  type KubeConnection,
  type KubernetesStore,
  openKubernetesStore,
  type Resource,
} from "../../store/kubernetes/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";

/** Whose view of which cluster is meant. */
export interface ClusterAccessOptions {
  /** Path of a kubeconfig; otherwise as kubectl finds one. */
  readonly kubeconfig?: string | undefined;
  /** Name of a context; the current one when absent. */
  readonly context?: string | undefined;
  env(name: string): string | undefined;
}

/** Connects as whoever the kubeconfig names. Asks nothing yet. */
export async function connectAsUser({ kubeconfig, context, env }: ClusterAccessOptions): Promise<KubeConnection> {
  return await connect({ kubeconfig, context, env, clock: systemClock });
}

/** A cluster as whoever the kubeconfig names may see it: what the verbs that ask one have in common. Watches nothing, and logs nothing. */
export abstract class ClusterAccess implements AsyncDisposable {
  protected readonly connection: KubeConnection;
  protected readonly store: KubernetesStore;

  /** `resources` are kinds that the store has to be told of. */
  constructor(connection: KubeConnection, resources: readonly Resource[]) {
    this.connection = connection;
    this.store = openKubernetesStore({
      ...{ connection, namespaces: [], resources, clock: systemClock, random: Math.random },
      log: createLogger({ now: systemClock.now, write: () => {} }),
    });
  }

  /** Address of the API server. */
  get server(): string {
    return this.connection.server;
  }

  /** Namespace of the context. */
  get namespace(): string {
    return this.connection.namespace;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
    await this.connection[Symbol.asyncDispose]();
  }
}
