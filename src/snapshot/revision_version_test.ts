import { expect } from "expect";
import type { ResourceItem } from "../api/mod.ts";
import { revisionVersion } from "./revision_version.ts";

// Computed by other programs: printf '%s' "$json" | openssl dgst -sha256 -binary | base32 | tr A-Z a-z | head -c10
const VECTORS: readonly { nodeID: string; resources: readonly ResourceItem[]; version: string }[] = [
  { nodeID: "edge", resources: [], version: "67fcvmj3mz" },
  {
    nodeID: "edge",
    resources: [{ type: "cluster", value: { name: "api", connect_timeout: "1s" } }],
    version: "w2vgcghl4n",
  },
  {
    nodeID: "",
    resources: [{ type: "secret", generateFromTlsSecret: "s", blueprint: "tlsCertificate" }],
    version: "s4quxqhqad",
  },
  {
    nodeID: "edge",
    resources: [{ type: "runtime", value: { name: "ä", layer: { a: [1, 1.5, null, true] } } }],
    version: "dbcwarvxio",
  },
];

for (const { nodeID, resources, version } of VECTORS) {
  Deno.test(`W23: revisionVersion() gives the golden vector ${version}`, () => {
    expect(revisionVersion(nodeID, resources)).toBe(version);
  });
}

Deno.test("W23: the order of items counts, that of fields does not, and an unset field leaves no trace", () => {
  const a: ResourceItem = { type: "route", value: { name: "a", ignore_port_in_host_matching: true } };
  const turned: ResourceItem = { value: { ignore_port_in_host_matching: true, name: "a" }, type: "route" };
  const b: ResourceItem = { type: "route", value: { name: "b" } };
  expect(revisionVersion("n", [a, b])).toBe(revisionVersion("n", [turned, b]));
  expect(revisionVersion("n", [a, b])).not.toBe(revisionVersion("n", [b, a]));
  expect(revisionVersion("n", [a])).not.toBe(revisionVersion("m", [a]));
});
