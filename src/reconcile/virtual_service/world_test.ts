import { expect } from "expect";
import fc from "fast-check";
import { envoyRegistry } from "../../envoy/mod.ts";
import type { ObjectEvent, WatchedObject } from "../engine/object_source.ts";
import type { Merged } from "./merge.ts";
import { LabelIndex, SelectorIndex } from "./label_index.ts";
import { resourcesOf } from "./layer.ts";
import { MeshWorld } from "./world.ts";

const NAMESPACES = ["a", "b"] as const;
const label = fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("x", "y", ""), { maxKeys: 2 });

const host = fc.oneof(
  label.filter((labels) => Object.keys(labels).length > 0).map((selector) => ({ selector })),
  fc.constantFrom({ address: "10.1.1.1" }, { address: "10.1.1.2" }),
);

const entry = fc.record({
  name: fc.constantFrom("l1", "l2", "l3"),
  protocol: fc.constantFrom("udp", "tcp"),
  port: fc.integer({ min: 1, max: 3 }),
  cluster: fc.record({
    name: fc.constantFrom("c1", "c2"),
    service_discovery: fc.constantFrom("strictdns", "eds"),
    hash_key: fc.constantFrom("", "k"),
    endpoints: fc.array(fc.record({ name: fc.constant("e"), host, port: fc.constantFrom(1, 2) }), { maxLength: 2 }),
  }),
}).map(({ name, protocol, port, cluster }) => ({ name, [protocol]: { port, cluster } }));

let versions = 0;

const service = fc.record({
  name: fc.constantFrom("s1", "s2", "s3", "s4"),
  namespace: fc.constantFrom(...NAMESPACES),
  selector: label,
  listeners: fc.array(entry, { maxLength: 3 }),
  everywhere: fc.boolean(),
}).map(({ name, namespace, selector, listeners, everywhere }): WatchedObject => ({
  apiVersion: "servicemesh.l7mp.io/v1",
  kind: "VirtualService",
  metadata: {
    name,
    namespace,
    uid: `${namespace}-${name}`,
    generation: ++versions,
    // the same for whoever has the same name: what is changed is not younger for it
    creationTimestamp: `2026-01-0${name.slice(1)}T00:00:00Z`,
    annotations: everywhere ? { "servicemesh.l7mp.io/scope": "cluster" } : {},
  },
  spec: { selector, listeners },
}));

const pod = fc.record({
  name: fc.constantFrom("p1", "p2", "p3"),
  namespace: fc.constantFrom(...NAMESPACES),
  labels: label,
  ip: fc.constantFrom(undefined, "10.0.0.1", "10.0.0.2"),
  ready: fc.boolean(),
}).map(({ name, namespace, labels, ip, ready }): WatchedObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, labels, uid: `${namespace}-${name}` },
  status: { ...(ip && { podIP: ip }), conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
}));

const step = fc.oneof(service, pod).chain((object) =>
  fc.constantFrom<ObjectEvent["type"]>("added", "modified", "deleted").map((type) => ({ type, object }))
);

/** What each pod gets, in the bytes that Envoys are sent. */
function told(world: MeshWorld, pods: Iterable<string>): Record<string, unknown> {
  const words = ({ kept, collisions }: Merged) => [
    ...kept.flatMap(({ owner, unit }) => resourcesOf(unit, "ads").map((one) => `${owner} ${one.name} ${one.version}`)),
    ...collisions.map((one) => JSON.stringify(one)),
  ];
  return Object.fromEntries([...pods].sort().map((id) => [id, words(world.mergedOf(id))]));
}

function idOf({ kind, metadata }: WatchedObject): string {
  return `${kind}/${metadata.namespace}/${metadata.name}`;
}

/** The objects that are left after events. */
function leftOf(events: readonly ObjectEvent[]): Map<string, WatchedObject> {
  const left = new Map<string, WatchedObject>();
  for (const { type, object } of events) {
    if (type === "deleted") left.delete(idOf(object));
    else left.set(idOf(object), object);
  }
  return left;
}

function worldOf(objects: Iterable<WatchedObject>): MeshWorld {
  const world = new MeshWorld(envoyRegistry());
  for (const object of objects) world.take({ type: "added", object });
  world.update();
  return world;
}

function podsOf(objects: Iterable<WatchedObject>): string[] {
  return [...objects].filter(({ kind }) => kind === "Pod").map((object) => idOf(object).slice("Pod/".length));
}

Deno.test("MeshWorld: however the objects came about, and in whatever order, what pods get follows from what is there", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 25 }), fc.nat(), (steps, seed) => {
      const world = new MeshWorld(envoyRegistry());
      for (const [event, update] of steps) {
        world.take(event);
        if (update) world.update();
      }
      world.update();
      const left = [...leftOf(steps.map(([event]) => event)).values()];
      const pods = podsOf(left);
      const shuffled = left.map((object, index) => ({ object, rank: (index * 7919 + seed) % 101 }))
        .sort((a, b) => a.rank - b.rank).map(({ object }) => object);
      expect(told(world, pods)).toEqual(told(worldOf(shuffled), pods));
    }),
    { numRuns: 150 },
  );
});

Deno.test("MeshWorld: removal by difference: without a VirtualService pods get what they would if it had never been", () => {
  fc.assert(
    fc.property(
      fc.array(service, { maxLength: 6 }),
      fc.array(pod, { maxLength: 4 }),
      service,
      (services, pods, extra) => {
        const others = services.filter((one) => idOf(one) !== idOf(extra));
        const objects = [...leftOf([...others, ...pods].map((object) => ({ type: "added", object }))).values()];
        const world = worldOf([...objects, extra]);
        world.take({ type: "deleted", object: extra });
        world.update();
        expect(told(world, podsOf(objects))).toEqual(told(worldOf(objects), podsOf(objects)));
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("MeshWorld: a change tells of those pods alone that get something else for it, and what they get keeps its identity", () => {
  fc.assert(
    fc.property(fc.array(service, { maxLength: 6 }), fc.array(pod, { maxLength: 4 }), step, (services, pods, event) => {
      const objects = [...leftOf([...services, ...pods].map((object) => ({ type: "added", object }))).values()];
      const world = worldOf(objects);
      const ids = podsOf(objects);
      const before = new Map(ids.map((id) => [id, world.mergedOf(id)]));
      const words = told(world, ids);
      world.take(event);
      const { pods: changed } = world.update();
      const after = told(world, ids);
      for (const id of ids) {
        if (changed.has(id)) continue;
        expect(after[id]).toEqual(words[id]);
        expect(world.mergedOf(id).kept.map(({ unit }) => unit)).toEqual(before.get(id)!.kept.map(({ unit }) => unit));
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("[op] a label with an empty value matches only who asks for just that", () => {
  const pods = new LabelIndex<{ namespace: string; labels: Record<string, string> }>();
  pods.replace("empty", { namespace: "a", labels: { app: "" } });
  pods.replace("none", { namespace: "a", labels: {} });
  const selected = (labels: Record<string, string>) =>
    pods.select({ namespace: "a", labels }).map(({ labels }) => labels);
  expect([selected({ tier: "x" }), selected({ app: "" }), selected({})]).toEqual([[], [{ app: "" }], []]);
  const selectors = new SelectorIndex();
  selectors.set("s", [{ namespace: undefined, labels: { tier: "x" } }]);
  selectors.set("e", [{ namespace: "a", labels: { app: "" } }]);
  expect(selectors.ownersOf({ namespace: "a", labels: { app: "" } })).toEqual(["e"]);
  expect(selectors.ownersOf({ namespace: "b", labels: { app: "" } })).toEqual([]);
  selectors.set("e", []);
  expect(selectors.ownersOf({ namespace: "a", labels: { app: "" } })).toEqual([]);
});
