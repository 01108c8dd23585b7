import { DISCOVERY_SERVICE, type DiscoveryService } from "../../api/operator/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { Store, StoredObject } from "../../store/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** The DiscoveryServices of each namespace, kept by a watch. */
export interface DiscoveryServiceIndex {
  of(namespace: string): readonly DiscoveryService[];
  /** Reads those of a namespace anew. */
  lookAgain(namespace: string): Promise<void>;
}

const { kind } = DISCOVERY_SERVICE;

/** Resolves once all that exist are known; goes on until the signal. */
export async function watchDiscoveryServices(
  store: Store,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<DiscoveryServiceIndex> {
  const byNamespace = new Map<string, Map<string, DiscoveryService>>();
  const add = (object: StoredObject) => {
    const { namespace = "default", name } = object.metadata;
    const services = byNamespace.get(namespace) ?? new Map<string, DiscoveryService>();
    byNamespace.set(namespace, services.set(name, object as unknown as DiscoveryService)); // by its kind
  };
  await store.watch([kind], ({ type, object }) => {
    if (type !== "deleted") return add(object);
    const { namespace = "default", name } = object.metadata;
    const services = byNamespace.get(namespace);
    services?.delete(name);
    if (services?.size === 0) byNamespace.delete(namespace);
  }, { signal });
  return {
    of: (namespace) => [...byNamespace.get(namespace)?.values() ?? []],
    async lookAgain(namespace) {
      try {
        const { items } = await store.list(kind, { namespace });
        byNamespace.delete(namespace);
        for (const item of items) add(item);
      } catch (thrown) {
        // What was known a moment ago is the best there is.
        log.debug("Cannot look again at the DiscoveryServices", { namespace, error: errorMessage(thrown) });
      }
    },
  };
}
