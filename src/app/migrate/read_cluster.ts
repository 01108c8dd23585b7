import { ChanceryError, systemClock } from "../../base/mod.ts";
import type { KubeObject } from "../../install/mod.ts";
import { Inventory, type InventoryKind } from "../../migrate/mod.ts";
import { connect } from "../../store/kubernetes/mod.ts";
import { type ClusterHost, ClusterObjects } from "../install/mod.ts";

/**
 * The objects of these kinds in all namespaces; nothing is changed.
 * @throws {ChanceryError} `forbidden` with every kind that may not be listed, since without it nobody knows what is in the way
 */
export async function readCluster(
  kinds: readonly InventoryKind[],
  host: Pick<ClusterHost, "kubeconfig" | "context" | "env">,
): Promise<Inventory> {
  await using connection = await connect({ ...host, clock: systemClock });
  const cluster = new ClusterObjects(connection);
  const objects: KubeObject[] = [];
  const denied: string[] = [];
  for (const kind of kinds) {
    try {
      objects.push(...await cluster.list(kind, kind));
    } catch (thrown) {
      if (!(thrown instanceof ChanceryError) || thrown.code !== "forbidden") throw thrown;
      denied.push(thrown.message);
    }
  }
  if (denied.length > 0) throw new ChanceryError("forbidden", denied.join("\n"));
  return new Inventory(objects);
}
