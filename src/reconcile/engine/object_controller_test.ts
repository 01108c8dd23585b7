import { expect } from "expect";
import { ManualClock, type ObjectKey } from "../../base/mod.ts";
import { openMemoryStore } from "../../store/mod.ts";
import { LiveCache } from "./live_cache.ts";
import { ObjectController, type ObjectWork } from "./object_controller.ts";
import type { OwnedStore } from "./owned_store.ts";
import type { View } from "./view.ts";

const KIND = "DiscoveryService";

/** A controller on a store of its own. */
class Scene {
  readonly clock = new ManualClock();
  readonly controller: ObjectController;
  readonly #store = openMemoryStore({ clock: this.clock });
  readonly #stop = new AbortController();

  constructor(work: Omit<ObjectWork, "kind">) {
    this.controller = new ObjectController({
      store: this.#store as unknown as OwnedStore,
      cache: new LiveCache(),
      leading: () => true,
      clock: this.clock,
      random: () => 0,
      onError: (_, { message }) => {
        throw new Error(message);
      },
      work: { kind: KIND, ...work },
    });
  }

  async start(): Promise<void> {
    await this.controller.start(this.#stop.signal);
    await this.turn();
  }

  async put(kind: string, metadata: { name: string; namespace: string; labels?: Record<string, string> }) {
    await this.#store.apply({ apiVersion: "v1", kind, metadata }, { fieldManager: "test" });
  }

  /** Lets everything happen that is to happen now. */
  async turn(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve));
      await this.controller.idle();
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

Deno.test("ObjectController lets changes of others wait while an object rests, and looks at it once afterwards", async () => {
  const looks: number[] = [];
  using scene = new Scene({
    watched: ["ConfigMap"],
    restMs: (_, tookMs) => tookMs * 9,
    look(_, view) {
      view.all("ConfigMap", "ns");
      looks.push(scene.clock.monotonic() - began);
      scene.clock.advance(10);
      return Promise.resolve(undefined);
    },
  });
  const began = scene.clock.monotonic();
  const change = async (name: string) => {
    await scene.put("ConfigMap", { name, namespace: "ns" });
    await scene.turn();
  };
  await scene.put(KIND, { name: "ds", namespace: "ns" });
  await scene.start();
  expect(looks).toEqual([0]); // until 10, and it rests until 100
  for (const name of ["a", "b", "c"]) await change(name);
  expect(looks).toEqual([0]);
  scene.clock.advance(90);
  await scene.turn();
  expect(looks).toEqual([0, 100]);
  scene.clock.advance(90);
  await scene.turn();
  expect(looks).toEqual([0, 100]); // nothing was left
  await change("d");
  expect(looks).toEqual([0, 100, 200]);
});

const LABELS = { "app.kubernetes.io/instance": "ds" };

function token(namespace: string): ObjectKey {
  return { kind: "Secret", namespace, name: "token" };
}

/** How an object of a namespace looks at others in it, and the name of the one that changes. */
const LOOKS: Readonly<Record<string, { look(view: View, namespace: string): unknown; readonly name: string }>> = {
  "looked at one object": { look: (view, namespace) => view.get(token(namespace)), name: "token" },
  "follows one object": { look: (view, namespace) => view.follow(token(namespace)), name: "token" },
  "looked at all of a kind": { look: (view, namespace) => view.all("Secret", namespace), name: "any" },
  "looked at those with labels": { look: (view, namespace) => view.labelled("Secret", namespace, LABELS), name: "any" },
};

for (const [what, { look, name }] of Object.entries(LOOKS)) {
  Deno.test(`C16: a change brings back who ${what} in its namespace, and nobody of another one`, async () => {
    const looks: string[] = [];
    using scene = new Scene({
      watched: ["Secret"],
      look({ metadata: { namespace = "" } }, view) {
        look(view, namespace);
        looks.push(namespace);
        return Promise.resolve(undefined);
      },
    });
    for (const namespace of ["one", "two"]) await scene.put(KIND, { name: "ds", namespace });
    await scene.start();
    expect(looks.splice(0).sort()).toEqual(["one", "two"]);
    await scene.put("Secret", { name, namespace: "two", labels: LABELS });
    await scene.turn();
    expect(looks).toEqual(["two"]);
  });
}

Deno.test("I11: what changes during the very first look that has seen it brings the object back", async () => {
  const seen: number[] = [];
  using scene = new Scene({
    watched: ["ConfigMap"],
    async look(_, view) {
      seen.push(view.all("ConfigMap", "ns").length);
      if (seen.length === 1) await scene.put("ConfigMap", { name: "late", namespace: "ns" });
      return undefined;
    },
  });
  await scene.put(KIND, { name: "ds", namespace: "ns" });
  await scene.start();
  expect(seen).toEqual([0, 1]);
});
