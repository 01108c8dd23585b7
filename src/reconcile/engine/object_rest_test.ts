import { expect } from "expect";
import { ManualClock, type ObjectKey } from "../../base/mod.ts";
import { openMemoryStore } from "../../store/mod.ts";
import { LiveCache } from "./live_cache.ts";
import { ObjectController } from "./object_controller.ts";
import type { OwnedStore } from "./owned_store.ts";

const OBJECT: ObjectKey = { kind: "DiscoveryService", namespace: "ns", name: "ds" };

/** Lets everything happen that is to happen now. */
async function turn(controller: ObjectController): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve));
    await controller.idle();
  }
}

Deno.test("ObjectController lets changes of others wait while an object rests, and looks at it once afterwards", async () => {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  const looks: number[] = [];
  const stop = new AbortController();
  const began = clock.monotonic();
  const controller = new ObjectController({
    store: store as unknown as OwnedStore,
    cache: new LiveCache(),
    leading: () => true,
    clock,
    random: () => 0,
    onError: (_, { message }) => {
      throw new Error(message);
    },
    work: {
      kind: OBJECT.kind,
      watched: ["ConfigMap"],
      restMs: (_, tookMs) => tookMs * 9,
      look(_, view) {
        view.all("ConfigMap", "ns");
        looks.push(clock.monotonic() - began);
        clock.advance(10);
        return Promise.resolve(undefined);
      },
    },
  });
  const change = async (name: string) => {
    await store.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "ns" } }, {
      fieldManager: "test",
    });
    await turn(controller);
  };
  await store.apply({ apiVersion: "v1", kind: OBJECT.kind, metadata: { name: "ds", namespace: "ns" } }, {
    fieldManager: "test",
  });
  await controller.start(stop.signal);
  await turn(controller);
  expect(looks).toEqual([0]); // until 10, and it rests until 100
  for (const name of ["a", "b", "c"]) await change(name);
  expect(looks).toEqual([0]);
  clock.advance(90);
  await turn(controller);
  expect(looks).toEqual([0, 100]);
  clock.advance(90);
  await turn(controller);
  expect(looks).toEqual([0, 100]); // nothing was left
  await change("d");
  expect(looks).toEqual([0, 100, 200]);
  stop.abort();
});
