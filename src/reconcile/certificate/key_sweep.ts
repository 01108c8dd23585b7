import { ChanceryError, type ObjectKey } from "../../base/mod.ts";
import { LiveCache } from "../engine/live_cache.ts";
import { ObjectController } from "../engine/object_controller.ts";
import type { ObjectControllerOptions } from "../engine/object_controller.ts";
import { keyOf } from "../engine/object_source.ts";
import { checkLeading } from "../engine/writing.ts";
import { isKeySecret, ownerOfKey } from "./key_place.ts";

/** Options of {@linkcode keySweep}. */
export interface KeySweepOptions extends Omit<ObjectControllerOptions, "cache" | "work"> {
  /** Where the keys are kept. */
  readonly keyNamespace: string;
}

const OWNER = "DiscoveryService";
const NOBODY = { namespace: "", name: "", uid: "" };

/**
 * A controller that removes the keys of CAs whose DiscoveryService is gone: it was in another namespace, where no owner reference
 * leads. Whatever a watch has told, the API server is asked first: a key that is gone cannot be had again.
 */
export function keySweep({ keyNamespace, ...options }: KeySweepOptions): ObjectController {
  const { store, leading } = options;
  return new ObjectController({
    ...options,
    cache: new LiveCache(),
    work: {
      kind: "Secret",
      watched: [OWNER],
      concerns: (secret) => keyOf(secret).namespace === keyNamespace && isKeySecret(secret),
      async look(watched, view) {
        const key = keyOf(watched);
        const found = await store.get(key); // a watch tells nothing of annotations
        const { namespace, name, uid } = found ? ownerOfKey(found) : NOBODY;
        const owner = { kind: OWNER, namespace, name };
        if (uid === "" || view.get(owner)?.metadata.uid === uid || !await isGone(owner, uid)) return undefined;
        checkLeading(leading);
        await store.remove(key, watched.metadata.uid === undefined ? {} : { uid: watched.metadata.uid });
        return undefined;
      },
    },
  });

  async function isGone(owner: ObjectKey, uid: string): Promise<boolean> {
    try {
      return (await store.get(owner))?.metadata.uid !== uid;
    } catch (thrown) {
      // A namespace that is no longer looked after: whoever may look at it sees to its keys.
      if (thrown instanceof ChanceryError && thrown.code === "forbidden") return false;
      throw thrown;
    }
  }
}
