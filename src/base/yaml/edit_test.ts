import { expect } from "expect";
import { addToYaml, parseYaml, removeFromYaml } from "./mod.ts";

const TEXT = `# The shop.
kind: Pod # a comment
metadata:
  labels: {a: yes, "b": '1'}
spec:
  # What runs.
  containers:
  - name: app   # ours
    args: ["-x", 010]
    text: |
      two
       lines
`;

Deno.test("addToYaml() keeps comments, order and spelling, and adds what reads as the same value", () => {
  const args = ["--port", "18000", "yes", "a: b", "", "null"];
  const added = { name: "envoy", args, port: 8080, on: true, none: null, empty: {}, list: [] };
  const text = addToYaml(TEXT, [
    { path: ["spec", "containers", "-"], value: added },
    { path: ["spec", "volumes"], value: [{ name: "v", emptyDir: {} }] },
    { path: ["spec", "containers", 0, "lifecycle"], value: { preStop: {} } },
  ]);
  for (const line of TEXT.trimEnd().split("\n").filter((line) => !/labels|ours|args/.test(line))) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).toContain("  - name: app # ours\n");
  const { documents, findings } = parseYaml(text, "a.yaml");
  expect(findings).toEqual([]);
  const before = parseYaml(TEXT, "a.yaml").documents[0]!.value as { spec: { containers: object[] } };
  expect(documents[0]!.value).toEqual({
    ...before,
    spec: {
      containers: [{ ...before.spec.containers[0], lifecycle: { preStop: {} } }, added],
      volumes: [{ name: "v", emptyDir: {} }],
    },
  });
});

Deno.test("removeFromYaml() undoes what addToYaml() did, and takes nothing else", () => {
  const plain = addToYaml(TEXT, []);
  const added = addToYaml(plain, [
    { path: ["spec", "containers", "-"], value: { name: "envoy", args: ["-c"] } },
    { path: ["spec", "volumes"], value: [{ name: "v" }] },
  ]);
  expect(removeFromYaml(added, [["spec", "containers", 1], ["spec", "volumes"]])).toBe(plain);
  expect(removeFromYaml(added, [["spec", "volumes", 0]])).toContain("volumes: []");
});
