import { expect } from "expect";
import type { StatedObject, WatchedObject } from "./object_source.ts";
import { needsApply } from "./needs_apply.ts";

const STATED = {
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "demo", labels: { ours: "1" } },
  spec: {
    replicas: 2,
    selector: { a: "b" },
    args: ["x", "y"],
    ports: [{ port: 80 }],
    containers: [{ name: "main", resources: { requests: { cpu: "0.5" } } }],
    volumes: [{ name: "empty", emptyDir: {} }],
    target: { averageValue: 1 },
  },
} as const satisfies StatedObject;

const OWNED = {
  "f:metadata": { "f:labels": { "f:ours": {} } },
  "f:spec": {
    "f:replicas": {},
    "f:selector": {}, // a map that is known as a whole
    "f:args": {}, // a list that is known as a whole
    "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
    "f:containers": {
      'k:{"name":"main"}': { ".": {}, "f:name": {}, "f:resources": { "f:requests": { "f:cpu": {} } } },
    },
    "f:volumes": { 'k:{"name":"empty"}': { ".": {}, "f:name": {}, "f:emptyDir": {} } },
    "f:target": { "f:averageValue": {} },
  },
};

/** As an API server has it: with defaults, quantities in its own writing, and what others added. */
const LIVE_SPEC = {
  replicas: 2,
  selector: { a: "b" },
  args: ["x", "y"],
  ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
  containers: [{ name: "theirs" }, { name: "main", resources: { requests: { cpu: "500m" } }, tty: false }],
  volumes: [{ name: "empty", emptyDir: {} }],
  target: { averageValue: "1" },
  theirs: true,
};

function live(spec: object = {}, owned: object = OWNED): WatchedObject {
  const managedFields = [
    { manager: "kubectl", operation: "Update", fieldsV1: { "f:spec": { "f:theirs": {} } } },
    { manager: "chancery", operation: "Apply", fieldsV1: owned },
  ];
  const metadata = { name: "a", namespace: "demo", labels: { ours: "1", theirs: "2" }, managedFields };
  return { apiVersion: "v1", kind: "Thing", metadata, spec: { ...LIVE_SPEC, ...spec }, status: {} } as WatchedObject;
}

function asks(stated: StatedObject, there: WatchedObject | undefined): boolean {
  return needsApply(stated, there, { fieldManager: "chancery" });
}

Deno.test("I19: what is as it was applied is not applied again, whatever others added", () => {
  expect(asks(STATED, live())).toBe(false);
});

Deno.test("what is missing, or was never applied, is applied", () => {
  expect(asks(STATED, undefined)).toBe(true);
  const never = live();
  expect(asks(STATED, { ...never, metadata: { ...never.metadata, managedFields: [] } } as WatchedObject)).toBe(true);
});

for (
  const [what, spec] of [
    ["a value", { replicas: 3 }],
    ["an item of a list that is known as a whole", { args: ["x"] }],
    ["the order of such a list", { args: ["y", "x"] }],
    ["a member of a map that is known as a whole", { selector: { a: "c" } }],
    ["a quantity", { containers: [{ name: "main", resources: { requests: { cpu: "501m" } } }] }],
    ["an item that is known by its name", { containers: [] }],
    ["an item whose key has a default", { ports: [{ port: 81, protocol: "TCP" }] }],
    ["an empty object", { volumes: [{ name: "empty" }] }],
  ] as const
) {
  Deno.test(`${what} that differs is applied`, () => expect(asks(STATED, live(spec))).toBe(true));
}

Deno.test("I19: a zero that an API server does not keep is not applied again and again", () => {
  const owned = { ...OWNED, "f:spec": { ...OWNED["f:spec"], "f:probe": { "f:delay": {}, "f:path": {} } } };
  const stated = (delay: unknown) => ({ ...STATED, spec: { ...STATED.spec, probe: { delay, path: "/" } } });
  const kept = live({ probe: { path: "/" } }, owned);
  for (const zero of [0, "", false, []]) expect(asks(stated(zero), kept)).toBe(false);
  expect(asks(stated(1), kept)).toBe(true);
  expect(asks(stated(0), live({ probe: { path: "/", delay: 5 } }, owned))).toBe(true);
});

Deno.test("a field that somebody else has set since, or taken away, is applied", () => {
  const { "f:replicas": _, ...rest } = OWNED["f:spec"];
  expect(asks(STATED, live({}, { ...OWNED, "f:spec": rest }))).toBe(true);
});

Deno.test("a field that we have set and do not want any more is applied, which takes it away", () => {
  expect(asks(STATED, live({ extra: 1 }, { ...OWNED, "f:spec": { ...OWNED["f:spec"], "f:extra": {} } }))).toBe(true);
  const annotations = { "f:labels": { "f:ours": {} }, "f:annotations": { "f:gone": {} } };
  expect(asks(STATED, live({}, { ...OWNED, "f:metadata": annotations }))).toBe(true);
  const { args: _, ...spec } = STATED.spec;
  expect(asks({ ...STATED, spec }, live())).toBe(true);
});
