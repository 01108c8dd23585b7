import { errorMessage, formatKey, type ObjectKey } from "../../base/mod.ts";
import { ENVOY_CONFIG } from "../../api/mod.ts";
import type { Store, StoredObject } from "../../store/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { type AdmissionRequest, NodeIds } from "../../webhook/mod.ts";

/** Which EnvoyConfig has which node id, kept by a watch. */
export interface NodeIdIndex {
  readonly nodeIds: NodeIds;
  /** Reads those who have a node id anew. */
  lookAgain(nodeId: string): Promise<void>;
  /** Notes what was let through, since the next of one `kubectl apply` comes before the watch tells of it. */
  onAllowed(request: AdmissionRequest): void;
}

/** How many that share one node id are read anew at most. */
const MAX_LOOKS = 10;
/** How many are remembered that were let through and not yet told by the watch; of some nothing ever comes. */
const MAX_CLAIMS = 200;

/** Resolves once all that exists is known; goes on until the signal. */
export async function watchNodeIds(
  store: Store,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<NodeIdIndex> {
  const nodeIds = new NodeIds();
  const claims = new Map<string, ObjectKey>();
  await store.watch(["EnvoyConfig"], ({ type, object }) => {
    const key = keyOf(object);
    claims.delete(formatKey(key));
    if (type === "deleted") nodeIds.delete(key);
    else nodeIds.set(object);
  }, { signal });
  return {
    nodeIds,
    async lookAgain(nodeId) {
      for (const { key } of nodeIds.holders(nodeId).slice(0, MAX_LOOKS)) {
        try {
          const now = await store.get(key);
          if (now) nodeIds.set(now);
          else nodeIds.delete(key);
        } catch (thrown) {
          // What was known a moment ago is the best there is.
          log.debug("Cannot look again at who has a node id", { object: formatKey(key), error: errorMessage(thrown) });
        }
      }
    },
    onAllowed({ operation, resource, dryRun, object }) {
      if (operation !== "CREATE" || resource.resource !== ENVOY_CONFIG.plural || dryRun || !hasName(object)) return;
      const key = keyOf(object);
      nodeIds.set(object);
      claims.set(formatKey(key), key);
      const [oldest] = claims;
      if (claims.size <= MAX_CLAIMS || !oldest) return;
      claims.delete(oldest[0]);
      nodeIds.delete(oldest[1]);
    },
  };
}

function keyOf({ metadata: { namespace, name } }: Pick<StoredObject, "metadata">): ObjectKey {
  return { kind: "EnvoyConfig", namespace, name };
}

/** Whether an object that was let through is complete enough to be known. */
function hasName(object: unknown): object is Pick<StoredObject, "metadata"> {
  const { name, namespace } = (object as { metadata?: { name?: unknown; namespace?: unknown } }).metadata ?? {};
  return typeof name === "string" && typeof namespace === "string";
}
