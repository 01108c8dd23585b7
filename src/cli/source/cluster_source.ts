import { ChanceryError } from "../../base/mod.ts";
import { ADMIN_ADDRESS, clusterFlags, type ConnectionValues } from "./connection.ts";
import type { Source } from "./source.ts";

/** Options of {@linkcode clusterSource}. */
export interface ClusterSourceOptions {
  env(name: string): string | undefined;
  /** Nobody said that a cluster is meant: what goes wrong has to tell why it was asked, and how to ask a standalone. */
  readonly implied: boolean;
}

/** The objects of a cluster, as whoever the kubeconfig names may read them. */
export async function clusterSource(
  { kubeconfig, context }: Pick<ConnectionValues, "kubeconfig" | "context">,
  { env, implied }: ClusterSourceOptions,
): Promise<Source> {
  const told = <T>(asked: Promise<T>) => asked.catch((thrown) => Promise.reject(implied ? explained(thrown) : thrown));
  const { openCluster } = await import("../../app/cluster/mod.ts");
  const cluster = await told(openCluster({ kubeconfig, context, env }));
  const flags = clusterFlags({ kubeconfig, context });
  return {
    name: cluster.server,
    place: `, in the cluster at ${cluster.server}`,
    flags,
    changeFlags: flags,
    namespace: cluster.namespace,
    configs: (query = {}) => told(cluster.configs(query)),
    async *follow(query, options) {
      try {
        yield* cluster.follow(query, { signal: undefined, ...options });
      } catch (thrown) {
        throw implied ? explained(thrown) : thrown;
      }
    },
    history: (key) => told(cluster.history(key)),
    served: (nodeId, query) => told(cluster.served(nodeId, query)),
    rollback: (request) => told(cluster.rollback(request)),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** With the reason why a cluster was asked at all; what is simply not there needs none. */
function explained(thrown: unknown): unknown {
  if (!(thrown instanceof ChanceryError) || thrown.code === "conflict") return thrown;
  const hint = "Next: a cluster was asked, as nothing names a standalone; to ask one on this machine: --data DIR, or " +
    `--server ${ADMIN_ADDRESS}`;
  return new ChanceryError(thrown.code, `${thrown.message}\n${hint}`, { cause: thrown });
}
