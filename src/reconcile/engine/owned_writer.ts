import { canonicalJson, errorMessage, formatKey, isRetryable, type ObjectKey } from "../../base/mod.ts";
import type { LiveCache } from "./live_cache.ts";
import { needsApply } from "./needs_apply.ts";
import { keyOf, type StatedObject, type WatchedObject } from "./object_source.ts";
import type { OwnedStore } from "./owned_store.ts";
import type { OwnedPlan } from "./planned.ts";
import { refusedStatus } from "./refused_status.ts";
import { checkLeading, FIELD_MANAGER } from "./writing.ts";

/** What plans are carried out with. */
export interface Means {
  readonly store: OwnedStore;
  readonly cache: LiveCache;
  /** Whether this replica may write at this moment; asked before each write. */
  readonly leading: () => boolean;
  readonly now: () => number;
}

/**
 * Carries plans for owned objects out: each write holds only for the object that the plan saw, so that nobody's newer word is
 * overwritten and what a leader of yesterday decided has no effect (I11); what is as wanted is not written at all (I19).
 */
export class OwnedWriter {
  readonly #means: Means;
  /** What a write gave that the API server writes in another way than we do: writing it again gives the same. */
  readonly #asGoodAsItGets = new Map<string, string>();

  constructor(means: Means) {
    this.#means = means;
  }

  /** `live` are the objects that the plan saw. */
  async carryOut<Status extends object>(
    object: WatchedObject,
    plan: OwnedPlan<Status>,
    live: (stated: StatedObject) => WatchedObject | undefined,
  ): Promise<void> {
    const { store, leading } = this.#means;
    const replaced = new Set<string>();
    for (const { key, uid } of plan.replace) {
      checkLeading(leading);
      await store.remove(key, { uid });
      replaced.add(formatKey(key));
    }
    let refused: unknown;
    for (const stated of plan.apply) {
      try {
        await this.apply(stated, replaced.has(formatKey(keyOf(stated))) ? undefined : live(stated));
      } catch (error) {
        if (isRetryable(error)) throw error;
        refused ??= error; // what is refused for good holds nothing else up
      }
    }
    if (refused !== undefined) return await this.#tellRefusal(object, plan, refused);
    for (const { key, uid } of plan.remove) {
      checkLeading(leading);
      await store.remove(key, { uid });
    }
    if (plan.status !== undefined) await this.#writeStatus(object, plan.status);
    for (const event of plan.events) await store.record(event);
  }

  /** Applies an object as a whole, if that changes anything. */
  async apply(stated: StatedObject, live: WatchedObject | undefined): Promise<void> {
    const { store, cache, leading } = this.#means;
    const id = formatKey(keyOf(stated));
    if (!needsApply(stated, live, { fieldManager: FIELD_MANAGER })) return;
    if (live && this.#asGoodAsItGets.get(id) === printOf(stated, live)) return;
    checkLeading(leading);
    const written = await store.apply(live ? fenced(stated, live) : stated, {
      fieldManager: FIELD_MANAGER,
      // Where there was nothing, whoever made it meanwhile is not to be overwritten.
      force: live !== undefined,
    });
    if (needsApply(stated, written, { fieldManager: FIELD_MANAGER })) {
      this.#asGoodAsItGets.set(id, printOf(stated, written));
    } else this.#asGoodAsItGets.delete(id);
    cache.wrote(written);
  }

  /** Forgets an object that is gone. */
  forget(key: ObjectKey): void {
    this.#asGoodAsItGets.delete(formatKey(key));
  }

  /** Tells the owner of what is refused why it is (O1), and throws that. */
  async #tellRefusal<Status extends object>(
    object: WatchedObject,
    plan: OwnedPlan<Status>,
    refused: unknown,
  ): Promise<never> {
    const status = refusedStatus(object, plan.status, { message: errorMessage(refused), now: this.#means.now() });
    if (status) {
      await this.#writeStatus(object, status.status);
      await this.#means.store.record(status.event);
    }
    throw refused;
  }

  async #writeStatus(object: WatchedObject, status: object): Promise<void> {
    const { store, cache, leading } = this.#means;
    checkLeading(leading);
    const { resourceVersion } = object.metadata;
    const options = resourceVersion === undefined ? {} : { resourceVersion };
    cache.wrote(await store.updateStatus(keyOf(object), status, options));
  }
}

function fenced(stated: StatedObject, { metadata: { uid, resourceVersion } }: WatchedObject): StatedObject {
  return {
    ...stated,
    metadata: {
      ...stated.metadata,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}

/** What is stated and what came of it, without what changes by itself. */
function printOf(stated: StatedObject, { metadata, status: _, ...content }: WatchedObject): string {
  const { labels, annotations, ownerReferences, uid } = metadata;
  return canonicalJson({ stated, live: { ...content, labels, annotations, ownerReferences, uid } });
}
