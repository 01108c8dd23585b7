import { expect } from "expect";
import { formatFinding } from "../../base/mod.ts";
import { readManifest } from "./documents.ts";

const KINDS = [{ apiVersion: "x/v1", kind: "Config" }, { apiVersion: "v1", kind: "Secret" }];

function read(text: string) {
  return readManifest({ name: "a.yaml", text, stamp: "" }, { path: "dir/a.yaml", kinds: KINDS });
}

Deno.test("readManifest() takes wanted kinds, counts others, gives a namespace, leaves out what the store gives", () => {
  const { objects, skipped, findings, broken } = read(`apiVersion: x/v1
kind: Config
metadata: {name: one, uid: u, resourceVersion: "7", generation: 3, managedFields: [], labels: {a: b}, ownerReferences: []}
spec: {size: 1}
status: {old: 1}
---
apiVersion: apps/v1
kind: Deployment
---
apiVersion: v1
kind: Secret
metadata: {name: two, namespace: other}
stringData: {a: b}
`);
  expect({ findings, broken, skipped: [...skipped] }).toEqual({
    findings: [],
    broken: false,
    skipped: [["Deployment", 1]],
  });
  expect(objects.map(({ object }) => object)).toEqual([
    {
      apiVersion: "x/v1",
      kind: "Config",
      metadata: { name: "one", namespace: "default", labels: { a: "b" } },
      spec: { size: 1 },
    },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "two", namespace: "other" }, stringData: { a: "b" } },
  ]);
});

Deno.test("readManifest() opens a List and knows the places inside", () => {
  const { objects } = read(`apiVersion: v1
kind: List
items:
- apiVersion: x/v1
  kind: Config
  metadata: {name: one}
- apiVersion: x/v1
  kind: Config
  metadata:
    name: two
`);
  expect(objects.map(({ key, positionOf }) => `${key.name} ${positionOf(["metadata", "name"])?.line}`)).toEqual([
    "one 6",
    "two 10",
  ]);
});

const BROKEN: [string, string][] = [
  ["  \n", "dir/a.yaml:1:1: error: the file is empty; delete it to remove its objects"],
  ["just text", "dir/a.yaml:1:1: error: an object must be a mapping"],
  ["a: 1", "dir/a.yaml:1:1: error: apiVersion: apiVersion must be a word"],
  ["apiVersion: x/v1\nkind: Config\nmetadata: {name: No_Good}", "dir/a.yaml:3:12: error: metadata.name: a name has"],
  [
    "apiVersion: x/v1\nkind: Config\nmetadata: {name: a, namespace: a.b}",
    "dir/a.yaml:3:21: error: metadata.namespace: a name",
  ],
  [
    "apiVersion: x/v1\nkind: Config\nmetadata: {name: a, labels: {x: 1}}",
    "dir/a.yaml:3:30: error: metadata.labels.x: the value",
  ],
  ["apiVersion: x/v1\nkind: Config\nspec: {}", "dir/a.yaml:1:1: error: metadata: metadata must be a mapping"],
  ["apiVersion: x/v1\nkind: Config\nmetadata: {name: a}\n---\nb: [", "dir/a.yaml:5:5: error: flow"],
];

for (const [text, message] of BROKEN) {
  Deno.test(`readManifest() takes nothing from ${JSON.stringify(text.slice(-30))} and says why`, () => {
    const { broken, objects, findings } = read(text);
    expect({ broken, objects }).toEqual({ broken: true, objects: [] });
    expect(findings.map(formatFinding)[0]).toContain(message);
  });
}

Deno.test("readManifest() gives a Secret that the store would refuse a fault, without its bytes", () => {
  const { objects, broken } = read("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {key: canary-no-base64}");
  expect(broken).toBe(false);
  expect(objects[0]!.faults.map(formatFinding)).toEqual([
    'dir/a.yaml:1:1: error: data "key" must be base64; use stringData for text',
  ]);
});

Deno.test("readManifest() keeps uid and status of kinds about which nobody else says anything", () => {
  const file = (text: string) => ({ name: "a.yaml", text, stamp: "" });
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, uid: u}\nstatus: {podIP: 10.0.0.1}\n";
  const kinds = [{ apiVersion: "v1", kind: "Pod", observed: true }] as const;
  const { objects } = readManifest(file(`${pod}---\n{apiVersion: v1, kind: Pod, metadata: {name: q}}\n`), {
    path: "dir/a.yaml",
    kinds,
  });
  expect(objects.map(({ object }) => object)).toEqual([
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default" },
      observed: { uid: "u", status: { podIP: "10.0.0.1" } },
    },
    { apiVersion: "v1", kind: "Pod", metadata: { name: "q", namespace: "default" }, observed: {} },
  ]);
});
