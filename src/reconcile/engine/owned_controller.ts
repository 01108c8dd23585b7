import { type Clock, formatKey, type ObjectKey } from "../../base/mod.ts";
import { LiveCache } from "./live_cache.ts";
import { keyOf, type StatedObject, type WatchedObject } from "./object_source.ts";
import { ObjectController } from "./object_controller.ts";
import type { OwnedStore } from "./owned_store.ts";
import { OwnedWriter } from "./owned_writer.ts";
import type { OwnedPlan } from "./planned.ts";
import type { View } from "./view.ts";

/** A kind whose objects other objects are made for. */
export interface OwnedKind<Input, Status extends object> {
  readonly kind: string;
  /** Kinds that are made, and that are looked at. */
  readonly watched: readonly string[];
  /**
   * Finds out what a plan goes by. `found` are objects that stand where the plan before wanted to put its own, and that no label led
   * to: somebody else's, or ours without their labels.
   */
  gather(object: WatchedObject, view: View, found: readonly WatchedObject[]): Promise<Input>;
  /** Asks nobody and keeps nothing. */
  plan(input: Input): OwnedPlan<Status>;
}

/** Options of {@linkcode ownedController}. */
export interface OwnedControllerOptions {
  readonly store: OwnedStore;
  readonly leading: () => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly resyncMs?: number;
  readonly onError: (about: ObjectKey, failure: { message: string; retryInMs?: number }) => void;
}

/** A controller that makes, repairs and removes what belongs to the objects of a kind: one for all kinds. */
export function ownedController<Input, Status extends object>(
  kind: OwnedKind<Input, Status>,
  options: OwnedControllerOptions,
): ObjectController {
  const { store, leading } = options;
  const cache = new LiveCache();
  const writer = new OwnedWriter({ store, cache, leading, now: () => options.clock.now() });
  return new ObjectController({
    ...options,
    cache,
    work: {
      kind: kind.kind,
      watched: kind.watched,
      async look(object, view) {
        const found = new Map<string, WatchedObject>();
        let seen = view;
        const live = (stated: StatedObject) => seen.get(keyOf(stated)) ?? found.get(formatKey(keyOf(stated)));
        let plan = kind.plan(await kind.gather(object, seen, []));
        const unseen = await lookUp(plan.apply.filter((stated) => !live(stated)), store);
        if (unseen.length > 0) {
          for (const one of unseen) found.set(formatKey(keyOf(one)), one);
          seen = view.anew();
          plan = kind.plan(await kind.gather(object, seen, unseen));
        }
        await writer.carryOut(object, plan, live);
        return plan.next;
      },
      onEvent({ type, object }) {
        if (type === "deleted") writer.forget(keyOf(object));
      },
    },
  });
}

/** What stands at these places without being watched, because it does not carry the labels. */
async function lookUp(places: readonly StatedObject[], store: OwnedStore): Promise<WatchedObject[]> {
  const there = await Promise.all(places.map((stated) => store.get(keyOf(stated))));
  return there.filter((object) => object !== undefined);
}
