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
        let seen = view;
        let plan = kind.plan(await kind.gather(object, seen, []));
        const unseen = plan.apply.map(keyOf).filter((key) => !seen.seen(key));
        const found = await lookUp(unseen, { view: view.anew(), store });
        if (found.length > 0) {
          seen = view.anew();
          plan = kind.plan(await kind.gather(object, seen, found));
        }
        const others = new Map(found.map((one) => [formatKey(keyOf(one)), one]));
        const live = (stated: StatedObject) => others.get(formatKey(keyOf(stated))) ?? seen.seen(keyOf(stated));
        await writer.carryOut(object, plan, live);
        return plan.next;
      },
      onEvent({ type, object }) {
        if (type === "deleted") writer.forget(keyOf(object));
      },
    },
  });
}

/** What stands at these places without being known by its labels. */
async function lookUp(
  places: readonly ObjectKey[],
  { view, store }: { view: View; store: OwnedStore },
): Promise<WatchedObject[]> {
  const there = await Promise.all(places.map(async (key) => view.get(key) ?? await store.get(key)));
  return there.filter((object) => object !== undefined);
}
