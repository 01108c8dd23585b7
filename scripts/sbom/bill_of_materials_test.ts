import { expect } from "expect";
import { billOfMaterials, type Lock } from "./bill_of_materials.ts";

const LOCK: Lock = {
  specifiers: { "npm:a@1.0.0": "1.0.0_@s+b@2.0.0", "npm:test-only@1.0.0": "1.0.0" },
  npm: {
    "a@1.0.0_@s+b@2.0.0": { integrity: `sha512-${new Uint8Array([1, 2]).toBase64()}`, dependencies: ["@s/b"] },
    "@s/b@2.0.0": { dependencies: ["c@3.0.0"] },
    "c@3.0.0": { optionalDependencies: ["c@4.0.0"] },
    "c@4.0.0": { dependencies: ["@s/b"] },
    "test-only@1.0.0": {},
  },
};

Deno.test("billOfMaterials() names what a program imports and all that needs, once, with checksums", () => {
  const bill = billOfMaterials(LOCK, { name: "it", version: "7", libraries: new Set(["a"]) });
  expect(bill).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "it", version: "7" } },
    components: [
      { purl: "pkg:npm/%40s/b@2.0.0" },
      { purl: "pkg:npm/a@1.0.0", hashes: [{ alg: "SHA-512", content: "0102" }] },
      { purl: "pkg:npm/c@3.0.0" },
      { purl: "pkg:npm/c@4.0.0" },
    ],
    dependencies: [
      { ref: "pkg:generic/it@7", dependsOn: ["pkg:npm/a@1.0.0"] },
      { ref: "pkg:npm/%40s/b@2.0.0", dependsOn: ["pkg:npm/c@3.0.0"] },
      { ref: "pkg:npm/a@1.0.0", dependsOn: ["pkg:npm/%40s/b@2.0.0"] },
      { ref: "pkg:npm/c@3.0.0", dependsOn: ["pkg:npm/c@4.0.0"] },
      { ref: "pkg:npm/c@4.0.0", dependsOn: ["pkg:npm/%40s/b@2.0.0"] },
    ],
  });
});

Deno.test("billOfMaterials() finds every dependency in our own lock file", () => {
  const lock: Lock = JSON.parse(Deno.readTextFileSync(new URL("../../deno.lock", import.meta.url)));
  const { components, dependencies } = billOfMaterials(lock, {
    name: "chancery",
    version: "0",
    libraries: new Set(["@grpc/grpc-js", "@kubernetes/client-node", "hono"]),
  }) as { components: { "bom-ref": string; hashes?: object[] }[]; dependencies: { dependsOn: string[] }[] };
  const known = new Set(components.map((one) => one["bom-ref"]));
  expect(known.size).toBe(components.length);
  for (const { dependsOn } of dependencies) expect(dependsOn.filter((one) => !known.has(one))).toEqual([]);
  expect(components.filter(({ hashes }) => !hashes)).toEqual([]);
});
