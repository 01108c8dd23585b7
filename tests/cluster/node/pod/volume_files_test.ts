import { expect } from "expect";
import type { Pod, Volume } from "./pod.ts";
import { volumeFiles } from "./volume_files.ts";

const POD: Pod = {
  metadata: { name: "p", namespace: "n", uid: "u", labels: { b: "2", a: 'say "1"' } },
  spec: { containers: [] },
};
const FACTS = { nodeName: "node", hostIP: "1.1.1.1", capacity: { cpu: "4", memory: "1Gi" } };

function files(volume: Omit<Volume, "name">): Record<string, [text: string, mode: string]> | undefined {
  const found = volumeFiles({ name: "v", ...volume }, {
    pod: POD,
    facts: FACTS,
    lookup: (kind, name) =>
      name === "known"
        ? new Map([["a", new TextEncoder().encode(kind)], ["b", new TextEncoder().encode("two")]])
        : undefined,
    token: ({ audience }) => audience === "early" ? undefined : `token for ${audience}`,
  });
  return found && Object.fromEntries(
    [...found].map(([path, { data, mode }]) => [path, [new TextDecoder().decode(data), mode.toString(8)]]),
  );
}

Deno.test("volumeFiles() gives all keys, or those that are asked for under their own paths", () => {
  expect(files({ secret: { secretName: "known" } })).toEqual({ a: ["Secret", "644"], b: ["two", "644"] });
  const items = [{ key: "a", path: "deep/file", mode: 0o400 }];
  expect(files({ configMap: { name: "known", items } })).toEqual({ "deep/file": ["ConfigMap", "400"] });
});

Deno.test("volumeFiles() joins the sources of a projected volume", () => {
  const sources = [
    { serviceAccountToken: { path: "token", audience: "us" } },
    { configMap: { name: "known", items: [{ key: "a", path: "ca.crt" }] } },
    { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    { secret: { name: "nobody", optional: true } },
  ];
  expect(files({ projected: { defaultMode: 0o600, sources } })).toEqual({
    token: ["token for us", "600"],
    "ca.crt": ["ConfigMap", "600"],
    labels: ['a="say \\"1\\""\nb="2"', "600"],
  });
});

Deno.test("volumeFiles() names what is missing, unless it is optional", () => {
  expect(() => files({ secret: { secretName: "nobody" } })).toThrow('secret "nobody" not found');
  expect(files({ secret: { secretName: "nobody", optional: true } })).toEqual({});
  const items = [{ key: "c", path: "c" }];
  expect(() => files({ secret: { secretName: "known", items } })).toThrow("references non-existent secret key: c");
  expect(files({ secret: { secretName: "known", optional: true, items } })).toEqual({});
  expect(() => files({ projected: { sources: [{ serviceAccountToken: { path: "t", audience: "early" } }] } })).toThrow(
    "token",
  );
});

Deno.test("volumeFiles() leaves a folder alone that containers fill", () => {
  expect(files({ emptyDir: {} })).toBe(undefined);
});
