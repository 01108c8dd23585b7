/**
 * What every store must do. An implementation calls {@linkcode testStore} from a `_test.ts` of its own; nothing here knows
 * which one it is. The Kubernetes one needs a namespace `default` and a CRD `Sample` (group `conformance.chancery.dev`,
 * version `v1`, namespaced, status subresource, unknown fields preserved).
 * @module
 */
import { expect } from "expect";
import type { ApplyObject, Store } from "../../src/store/mod.ts";
import { eventually } from "../envoy/harness/eventually.ts";
import { API_VERSION, failure, KIND, matchLabels, reference, Scene, told } from "./store_scene.ts";

/** A store under test and how to leave it. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
}

/** Registers the whole suite, with `Deno.test` unless told otherwise; `open` gives a store, empty or not, for each test. */
export function testStore(
  name: string,
  open: () => Promise<StoreUnderTest>,
  register: (name: string, run: () => Promise<void>) => void = Deno.test,
): void {
  for (const [sentence, run] of Object.entries(CASES)) {
    register(`${name}: ${sentence}`, async () => {
      await using tested = await open();
      await run(new Scene(tested.store));
    });
  }
}

const CASES: Record<string, (scene: Scene) => Promise<void>> = {
  async "apply creates an object with uid, generation 1 and a resource version"(scene) {
    const object = await scene.apply("a", { size: 1 });
    expect(object.spec).toEqual({ size: 1 });
    expect(object.metadata).toMatchObject({ name: `${scene.prefix}-a`, namespace: "default", generation: 1 });
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(object.metadata.resourceVersion).not.toBe("");
    expect(object.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await scene.get("a")).toEqual(object);
  },

  async "get of what is not there is undefined"(scene) {
    expect(await scene.store.get(scene.key("none"))).toBeUndefined();
  },

  async "apply of a changed spec is a new generation, of changed labels only a new version"(scene) {
    const first = await scene.apply("a", { size: 1 });
    const second = await scene.apply("a", { size: 2 });
    expect(second.metadata.generation).toBe(2);
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(second.metadata.creationTimestamp).toBe(first.metadata.creationTimestamp);
    expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    const third = await scene.apply("a", { size: 2 }, { labels: { x: "y" } });
    expect(third.metadata.generation).toBe(2);
    expect(third.metadata.resourceVersion).not.toBe(second.metadata.resourceVersion);
  },

  async "apply that changes nothing writes nothing"(scene) {
    const first = await scene.apply("a", { size: 1, list: [{ b: 1, a: 2 }] });
    const again = await scene.apply("a", { list: [{ a: 2, b: 1 }], size: 1 });
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  },

  async "apply removes what the manager stated before and states no more"(scene) {
    await scene.apply("a", { keep: 1, drop: 2, deep: { drop: 3, keep: 4 }, gone: { all: 1 } }, {
      labels: { old: "1" },
      annotations: { note: "x" },
    });
    const { spec, metadata } = await scene.apply("a", { keep: 1, deep: { keep: 4 } });
    expect(spec).toEqual({ keep: 1, deep: { keep: 4 } });
    expect(metadata.labels).toEqual({ scene: scene.prefix });
    expect(metadata.annotations ?? {}).toEqual({});
  },

  async "apply leaves what another manager stated"(scene) {
    await scene.apply("a", { mine: 1, deep: { mine: 1 } });
    await scene.store.apply(scene.object("a", { theirs: 2, deep: { theirs: 2 } }), { fieldManager: "two" });
    const { spec } = await scene.apply("a", { mine: 3 });
    expect(spec).toEqual({ mine: 3, theirs: 2, deep: { theirs: 2 } });
  },

  async "apply refuses to change what another manager set, unless forced"(scene) {
    await scene.apply("a", { size: 1, list: [1] });
    const other = scene.object("a", { size: 2 });
    const thrown = await failure(scene.store.apply(other, { fieldManager: "two" }));
    expect(thrown.code).toBe("conflict");
    expect(thrown.message).toContain("one");
    expect((await scene.get("a")).spec).toEqual({ size: 1, list: [1] });
    const forced = await scene.store.apply(other, { fieldManager: "two", force: true });
    expect(forced.spec).toEqual({ size: 2, list: [1] });
    // the first manager lost the field: not stating it any more does not remove it
    expect((await scene.apply("a", { list: [1] })).spec).toEqual({ size: 2, list: [1] });
  },

  async "two managers may state the same value, and it goes with the last of them"(scene) {
    await scene.apply("a", { size: 1, mine: 1 });
    await scene.store.apply(scene.object("a", { size: 1 }), { fieldManager: "two" });
    expect((await scene.apply("a", { mine: 1 })).spec).toEqual({ size: 1, mine: 1 });
    await scene.store.apply(scene.object("a", { theirs: 1 }), { fieldManager: "two" });
    expect((await scene.get("a")).spec).toEqual({ mine: 1, theirs: 1 });
  },

  async "lists are replaced as a whole"(scene) {
    await scene.apply("a", { list: [{ name: "x", v: 1 }, { name: "y" }] });
    const { spec } = await scene.apply("a", { list: [{ name: "x", v: 2 }] });
    expect(spec).toEqual({ list: [{ name: "x", v: 2 }] });
  },

  async "apply with a resource version fails when the object has another"(scene) {
    const first = await scene.apply("a", { size: 1 });
    const { resourceVersion } = first.metadata;
    const second = await scene.apply("a", { size: 2 }, { resourceVersion });
    expect(second.spec).toEqual({ size: 2 });
    const thrown = await failure(scene.apply("a", { size: 3 }, { resourceVersion }));
    expect(thrown.code).toBe("conflict");
    expect((await scene.get("a")).spec).toEqual({ size: 2 });
  },

  async "apply with the uid of another object fails"(scene) {
    const other = await scene.apply("b", {});
    await scene.apply("a", { size: 1 });
    const thrown = await failure(scene.apply("a", { size: 2 }, { uid: other.metadata.uid }));
    expect(thrown.code).toBe("conflict");
  },

  async "apply refuses illegal names and labels"(scene) {
    const named = (name: string) => ({ ...scene.object("a", {}), metadata: { name, namespace: "default" } });
    for (const name of ["", "Upper", "a_b", "-a", "a".repeat(254), "a/b", "ä"]) {
      expect((await failure(scene.store.apply(named(name), { fieldManager: "one" }))).code).toBe("invalid-input");
    }
    expect((await failure(scene.apply("a", {}, { labels: { x: "not ok!" } }))).code).toBe("invalid-input");
  },

  async "managedFields tell who set what"(scene) {
    await scene.apply("a", { mine: 1 });
    await scene.store.apply(scene.object("a", { theirs: 2 }), { fieldManager: "two" });
    const { managedFields = [] } = (await scene.get("a")).metadata;
    const fields = (manager: string) => managedFields.find((entry) => entry.manager === manager);
    expect(fields("one")).toMatchObject({ operation: "Apply", apiVersion: API_VERSION, fieldsType: "FieldsV1" });
    expect(fields("one")!.fieldsV1["f:spec"]).toMatchObject({ "f:mine": {} });
    expect(fields("two")!.fieldsV1["f:spec"]).toMatchObject({ "f:theirs": {} });
  },

  async "apply does not touch the status, updateStatus touches nothing else"(scene) {
    await scene.store.apply({ ...scene.object("a", { size: 1 }), status: { no: 1 } }, { fieldManager: "one" });
    expect((await scene.get("a")).status ?? {}).toEqual({});
    const updated = await scene.store.updateStatus(scene.key("a"), { ready: true, list: [1] });
    expect(updated).toMatchObject({ spec: { size: 1 }, status: { ready: true, list: [1] } });
    expect(updated.metadata.generation).toBe(1);
    const replaced = await scene.store.updateStatus(scene.key("a"), { ready: false });
    expect(replaced.status).toEqual({ ready: false });
    expect((await scene.apply("a", { size: 2 })).status).toEqual({ ready: false });
  },

  async "updateStatus that changes nothing writes nothing"(scene) {
    await scene.apply("a", {});
    const first = await scene.store.updateStatus(scene.key("a"), { ready: true });
    const again = await scene.store.updateStatus(scene.key("a"), { ready: true });
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  },

  async "updateStatus fails for an older resource version and for what is not there"(scene) {
    const { metadata: { resourceVersion } } = await scene.apply("a", { size: 1 });
    await scene.apply("a", { size: 2 });
    expect((await failure(scene.store.updateStatus(scene.key("a"), {}, { resourceVersion }))).code).toBe("conflict");
    expect((await failure(scene.store.updateStatus(scene.key("none"), {}))).code).toBe("not-found");
  },

  async "several managers apply to one status"(scene) {
    await scene.apply("a", { size: 1 });
    const status = (clients: unknown) => ({ ...scene.object("a", {}), status: { clients } });
    await scene.store.apply(status({ one: { sent: 1 } }), { fieldManager: "one", subresource: "status" });
    await scene.store.apply(status({ two: { sent: 2 } }), { fieldManager: "two", subresource: "status" });
    expect((await scene.get("a")).status).toEqual({ clients: { one: { sent: 1 }, two: { sent: 2 } } });
    await scene.store.apply({ ...scene.object("a", {}), status: {} }, { fieldManager: "one", subresource: "status" });
    const { status: left, spec } = await scene.get("a");
    expect(left).toEqual({ clients: { two: { sent: 2 } } });
    expect(spec).toEqual({ size: 1 });
    // stating no status at all leaves no trace of the manager
    await scene.store.apply(scene.object("a", {}), { fieldManager: "one", subresource: "status" });
    await scene.store.apply(scene.object("a", {}), { fieldManager: "two", subresource: "status" });
    const { status: none, metadata: { managedFields = [] } } = await scene.get("a");
    expect(none ?? {}).toEqual({});
    expect(managedFields.filter(({ subresource }) => subresource === "status")).toEqual([]);
  },

  async "remove takes an object away once"(scene) {
    await scene.apply("a", {});
    expect(await scene.store.remove(scene.key("a"))).toBe(true);
    expect(await scene.store.get(scene.key("a"))).toBeUndefined();
    expect(await scene.store.remove(scene.key("a"))).toBe(false);
  },

  async "remove with another uid or version fails, and an object made anew has a new uid"(scene) {
    const first = await scene.apply("a", { size: 1 });
    await scene.store.remove(scene.key("a"));
    const second = await scene.apply("a", { size: 1 });
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(second.metadata.generation).toBe(1);
    expect((await failure(scene.store.remove(scene.key("a"), { uid: first.metadata.uid }))).code).toBe("conflict");
    const { resourceVersion } = first.metadata;
    expect((await failure(scene.store.remove(scene.key("a"), { resourceVersion }))).code).toBe("conflict");
    expect(await scene.store.remove(scene.key("a"), { uid: second.metadata.uid })).toBe(true);
  },

  async "what is owned goes with its owner, and what that owns too"(scene) {
    const owner = await scene.apply("owner", {});
    const child = await scene.apply("child", {}, { ownerReferences: [reference(owner)] });
    await scene.apply("grandchild", {}, { ownerReferences: [reference(child)] });
    const other = await scene.apply("other", {});
    await scene.apply("shared", {}, { ownerReferences: [reference(owner), reference(other)] });
    await scene.store.remove(scene.key("owner"));
    await eventually(async () => !(await scene.store.get(scene.key("grandchild"))), { what: "the grandchild goes" });
    expect(await scene.store.get(scene.key("child"))).toBeUndefined();
    expect(await scene.store.get(scene.key("shared"))).toBeDefined();
    await scene.store.remove(scene.key("other"));
    await eventually(
      async () => !(await scene.store.get(scene.key("shared"))),
      { what: "the shared one goes with its last owner" },
    );
  },

  async "what is made for an owner that is gone goes as well"(scene) {
    const owner = await scene.apply("owner", {});
    await scene.store.remove(scene.key("owner"));
    await scene.apply("child", {}, { ownerReferences: [reference(owner)] });
    await eventually(async () => !(await scene.store.get(scene.key("child"))), { what: "the child goes" });
  },

  async "list is sorted and selects by namespace and labels"(scene) {
    await scene.apply("b", {}, { labels: { tier: "web", x: "1" } });
    await scene.apply("a", {}, { labels: { tier: "db" } });
    await scene.apply("c", {});
    const names = async (labels: object, namespace = "default") => {
      const query = { namespace, labels: { ...labels, matchLabels: { scene: scene.prefix, ...matchLabels(labels) } } };
      const { items, resourceVersion } = await scene.store.list(KIND, query);
      expect(resourceVersion).not.toBe("");
      return items.map((item) => item.metadata.name.slice(scene.prefix.length + 1)).join("");
    };
    const by = (key: string, operator: string, ...values: string[]) => ({
      matchExpressions: [{ key, operator, values }],
    });
    expect(await names({})).toBe("abc");
    expect(await names({}, "elsewhere")).toBe("");
    expect(await names({ matchLabels: { tier: "web" } })).toBe("b");
    expect(await names(by("tier", "In", "web", "db"))).toBe("ab");
    expect(await names(by("tier", "NotIn", "web"))).toBe("ac");
    expect(await names(by("tier", "Exists"))).toBe("ab");
    expect(await names(by("tier", "DoesNotExist"))).toBe("c");
    expect(await names({ matchLabels: { x: "1" }, ...by("tier", "In", "db") })).toBe("");
  },

  async "watch tells what is there, then each change in order"(scene) {
    await scene.apply("a", { size: 1 });
    const stop = new AbortController();
    const { events, until } = await scene.watch(stop.signal);
    expect(events.map(told(scene))).toEqual(["added a 1"]);
    await scene.apply("b", { size: 1 });
    await scene.apply("a", { size: 2 });
    await scene.apply("a", { size: 2 });
    await scene.store.updateStatus(scene.key("b"), { ready: true });
    await scene.store.remove(scene.key("a"));
    await scene.apply("a", { size: 3 });
    await until(6);
    expect(events.map(told(scene))).toEqual([
      "added a 1",
      "added b 1",
      "modified a 2",
      "modified b 1",
      "deleted a 2",
      "added a 3",
    ]);
    expect(events[3]!.object.status).toEqual({ ready: true });
    stop.abort();
    await scene.apply("c", {});
    expect(events.length).toBe(6);
  },

  async "watch misses nothing of many writes at once"(scene) {
    const stop = new AbortController();
    const { until } = await scene.watch(stop.signal);
    await Promise.all(Array.from({ length: 20 }, async (_, i) => {
      for (let size = 1; size <= 5; size++) await scene.apply(`n${i}`, { size });
    }));
    const events = await until(100);
    for (let i = 0; i < 20; i++) {
      const sizes = events.filter(({ object }) => object.metadata.name === `${scene.prefix}-n${i}`).map(told(scene));
      expect(sizes).toEqual([1, 2, 3, 4, 5].map((size) => `${size === 1 ? "added" : "modified"} n${i} ${size}`));
    }
    stop.abort();
  },

  async "a watch that writes while it is told keeps the order for all"(scene) {
    const stop = new AbortController();
    let second: Promise<unknown> | undefined;
    await scene.store.watch([KIND], ({ type, object }) => {
      if (type === "added" && object.metadata.name === `${scene.prefix}-a`) second = scene.apply("a", { size: 2 });
    }, { signal: stop.signal });
    const { events, until } = await scene.watch(stop.signal);
    await scene.apply("a", { size: 1 });
    await until(2);
    expect(events.map(told(scene))).toEqual(["added a 1", "modified a 2"]);
    stop.abort();
    await second;
  },

  async "watch with a signal that has come already ends at once"(scene) {
    await scene.apply("a", {});
    const { events } = await scene.watch(AbortSignal.abort());
    expect(events).toEqual([]);
  },

  async "a Secret's stringData ends up in data as base64"(scene) {
    const secret = (fields: object): ApplyObject => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `${scene.prefix}-s`, namespace: "default" },
      ...fields,
    });
    const one = { fieldManager: "one" };
    const fields = { data: { a: "b2xk", b: "aGk=" }, stringData: { a: "néw" } };
    const first = await scene.store.apply(secret(fields), one);
    expect(first.data).toEqual({ a: "bsOpdw==", b: "aGk=" });
    expect(first.stringData).toBeUndefined();
    const thrown = await failure(scene.store.apply(secret({ data: { a: "not*base64-canary" } }), one));
    expect(thrown.code).toBe("invalid-input");
    expect(thrown.message).not.toContain("canary");
    const canary = "c2VjcmV0LWNhbmFyeQ==";
    const conflict = await failure(scene.store.apply(secret({ data: { a: canary } }), { fieldManager: "two" }));
    expect(conflict.code).toBe("conflict");
    expect(conflict.message).not.toContain(canary);
  },

  async "objects that were handed out do not change"(scene) {
    const first = await scene.apply("a", { deep: { size: 1 } });
    const copy = JSON.stringify(first);
    await scene.apply("a", { deep: { size: 2 } });
    expect(JSON.stringify(first)).toBe(copy);
    const spec = { deep: { size: 3 } };
    await scene.apply("a", spec);
    spec.deep.size = 4;
    expect((await scene.get("a")).spec).toEqual({ deep: { size: 3 } });
  },

  async "a field called __proto__ is a field"(scene) {
    const spec = JSON.parse('{"__proto__": {"x": 1}, "constructor": {"y": 2}}');
    await scene.apply("a", spec);
    expect(JSON.stringify((await scene.get("a")).spec)).toBe(JSON.stringify(spec));
    expect(JSON.stringify((await scene.apply("a", {})).spec ?? {})).toBe("{}");
  },

  async "record notes an event and never fails"(scene) {
    await scene.apply("a", {});
    const about = scene.key("a");
    for (let i = 0; i < 3; i++) {
      await scene.store.record({ about, type: "Warning", reason: "Refused", message: "bad listener" });
    }
  },
};
