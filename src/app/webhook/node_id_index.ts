import type { Store } from "../../store/mod.ts";
import { NodeIds } from "../../webhook/mod.ts";

/** Which EnvoyConfig has which node id, kept by a watch. */
export interface NodeIdIndex {
  readonly nodeIds: NodeIds;
  /** Reads those who have a node id anew. */
  lookAgain(nodeId: string): Promise<void>;
}

/** How many that share one node id are read anew at most. */
const MAX_LOOKS = 10;

/** Resolves once all that exists is known; goes on until the signal. */
export async function watchNodeIds(store: Store, signal: AbortSignal): Promise<NodeIdIndex> {
  const nodeIds = new NodeIds();
  await store.watch(["EnvoyConfig"], ({ type, object }) => {
    const { kind, metadata: { namespace, name } } = object;
    if (type === "deleted") nodeIds.delete({ kind, namespace, name });
    else nodeIds.set(object);
  }, { signal });
  return {
    nodeIds,
    async lookAgain(nodeId) {
      for (const { key } of nodeIds.holders(nodeId).slice(0, MAX_LOOKS)) {
        const now = await store.get(key);
        if (now) nodeIds.set(now);
        else nodeIds.delete(key);
      }
    },
  };
}
