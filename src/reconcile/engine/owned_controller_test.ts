import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { openMemoryStore } from "../../store/mod.ts";
import type { WatchedObject } from "./object_source.ts";
import { ownedController } from "./owned_controller.ts";
import type { OwnedStore } from "./owned_store.ts";

const LABELS = { "app.kubernetes.io/instance": "ds" };
const FIRST = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "first", namespace: "ns", labels: LABELS } };
const SECOND = { ...FIRST, metadata: { ...FIRST.metadata, name: "second" } };
const OWNER = { apiVersion: "v1", kind: "DiscoveryService", metadata: { name: "ds", namespace: "ns" } };

function textOf(object: WatchedObject | undefined): string | undefined {
  return (object?.data as { text?: string } | undefined)?.text;
}

/**
 * A controller whose plan keeps the text of the second object, if it has one; `meanwhile` happens once, while the plan is carried out
 * by which the second object is to have the text that it had.
 */
async function carriedOut(
  meanwhile: (store: OwnedStore) => Promise<unknown>,
): Promise<{ store: OwnedStore; plans: string[] }> {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock }) as unknown as OwnedStore;
  const apply = store.apply.bind(store);
  let pending = false;
  store.apply = async (object, options) => {
    if (pending && object.metadata.name === "first") {
      pending = false;
      await meanwhile(store);
      await new Promise((resolve) => setTimeout(resolve)); // the watch tells it
    }
    return await apply(object, options);
  };
  const plans: string[] = [];
  const controller = ownedController<{ second: WatchedObject | undefined }, object>({
    kind: OWNER.kind,
    watched: ["ConfigMap"],
    gather: (_, view) => {
      const owned = view.labelled("ConfigMap", "ns", LABELS);
      return Promise.resolve({ second: owned.find(({ metadata }) => metadata.name === "second") });
    },
    plan: ({ second }) => {
      const text = textOf(second) ?? "ours";
      plans.push(text);
      return {
        replace: [],
        apply: [FIRST, { ...SECOND, data: { text } }],
        remove: [],
        status: undefined,
        events: [],
        next: undefined,
      };
    },
  }, {
    store,
    leading: () => true,
    clock,
    random: () => 0,
    onError: (_, { message }) => {
      throw new Error(message);
    },
  });
  const stop = new AbortController();
  await apply(OWNER, { fieldManager: "test" });
  await apply({ ...SECOND, data: { text: "before" } }, { fieldManager: "test", force: true });
  pending = true;
  await controller.start(stop.signal);
  await new Promise((resolve) => setTimeout(resolve));
  for (let turn = 0; turn < 5; turn++) {
    await controller.idle();
    clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve));
  }
  stop.abort();
  return { store, plans };
}

Deno.test("I11: what somebody writes while a plan is carried out is not overwritten by it, and planned with anew", async () => {
  const { store, plans } = await carriedOut((store) =>
    store.apply({ ...SECOND, data: { text: "theirs" } }, { fieldManager: "test", force: true })
  );
  expect([plans[0], plans.at(-1)]).toEqual(["before", "theirs"]);
  expect(textOf(await store.get({ kind: "ConfigMap", namespace: "ns", name: "second" }))).toBe("theirs");
});
