/**
 * The reader, the codec and the JSON writer against `@bufbuild/protobuf`, which was written by other people from the same
 * specification. Both are given the same descriptors and the same JSON.
 */
import { createFileRegistry, fromBinary, fromJson, toBinary, toJson as oracleToJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect } from "expect";
import fc from "fast-check";
import { descriptorSet } from "../../protos/mod.ts";
import { canonicalJson } from "../../src/base/mod.ts";
import { readMessage, Registry, RESOURCE_TYPES, toJson } from "../../src/envoy/mod.ts";
import { drawMessage } from "./arbitrary_json.ts";
import { knownLaxer, knownStricter } from "./differences.ts";

const set = descriptorSet();
const registry = new Registry(set);
const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, set));
const all = [...registry.names()].filter((name) => !name.startsWith("google.protobuf."));
const roots = [
  ...RESOURCE_TYPES.map((type) => type.message),
  "envoy.config.bootstrap.v3.Bootstrap",
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
  "envoy.service.discovery.v3.DiscoveryRequest",
];
/** Half of the time what people write, else anything. */
const names = fc.oneof(fc.constantFrom(...all), fc.constantFrom(...roots));

const RUNS = Number(Deno.env.get("ORACLE_RUNS") ?? 400);

function schemaOf(name: string) {
  const schema = files.getMessage(name);
  if (!schema) throw new Error(`no ${name}`);
  return schema;
}

/** What the oracle makes of it: the message's bytes, or why not. */
function askOracle(name: string, json: unknown): { bytes: Uint8Array } | { error: string } {
  try {
    // deno-lint-ignore no-explicit-any -- the oracle's own type of JSON; anything may be given to it
    const message = fromJson(schemaOf(name), json as any, { registry: files });
    return { bytes: toBinary(schemaOf(name), message) };
  } catch (thrown) {
    return { error: String(thrown) };
  }
}

function oracleJson(name: string, bytes: Uint8Array): string {
  const message = fromBinary(schemaOf(name), bytes);
  return canonicalJson(singles(oracleToJson(schemaOf(name), message, { registry: files, useProtoFieldName: true })));
}

/** The oracle writes a 32-bit float with all the digits of a double, we with those that matter. */
function singles(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (_, value) => typeof value === "number" ? Math.fround(value) : value);
}

Deno.test("readMessage() accepts what the oracle accepts, and makes the same message of it", () => {
  let accepted = 0;
  fc.assert(
    fc.property(names, fc.gen(), (name, draw) => {
      const json = drawMessage(draw, registry.message(name)!, { registry, depth: 4, mistakes: 0 });
      const ours = readMessage(registry, name, json, { rules: false, deprecations: false });
      const theirs = askOracle(name, json);
      expect({ findings: ours.findings, ...theirs }).toMatchObject({ findings: [], bytes: expect.anything() });
      if (!("bytes" in theirs) || !ours.bytes) return;
      const canonical = oracleJson(name, ours.bytes);
      expect(canonical).toBe(oracleJson(name, theirs.bytes));
      expect(canonicalJson(singles(toJson(registry, name, ours.bytes, { reveal: true })))).toBe(canonical);
      expect(canonicalJson(singles(toJson(registry, name, theirs.bytes, { reveal: true })))).toBe(canonical);
      accepted++;
    }),
    { numRuns: RUNS },
  );
  expect(accepted).toBe(RUNS);
});

Deno.test("readMessage() refuses what the oracle refuses", () => {
  let refused = 0;
  fc.assert(
    fc.property(names, fc.gen(), (name, draw) => {
      const json = drawMessage(draw, registry.message(name)!, { registry, depth: 4, mistakes: 6 });
      const ours = readMessage(registry, name, json, { rules: false, deprecations: false });
      const theirs = askOracle(name, json);
      if ("error" in theirs) refused++;
      if (("error" in theirs) === (ours.bytes === undefined)) return;
      if ("bytes" in theirs ? knownStricter(ours.findings) : knownLaxer(theirs.error, json)) return;
      const text = JSON.stringify(json);
      throw new Error(
        `${name} ${text}: ours ${JSON.stringify(ours.findings)}, theirs ${JSON.stringify(theirs)}`,
      );
    }),
    { numRuns: RUNS * 3 },
  );
  expect(refused).toBeGreaterThan(RUNS / 4);
});
