import { expect } from "expect";
import { envoyRegistry, readMessage, readResource, resourceTypeOfItem } from "../mod.ts";

const registry = envoyRegistry();
const NODE = "envoy.config.core.v3.Node";

Deno.test("readMessage() stops after the allowed number of findings and says so", () => {
  const value = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, i]));
  const started = performance.now();
  const { findings, bytes } = readMessage(registry, NODE, value, { path: ["spec", 0], limits: { findings: 50 } });
  expect(performance.now() - started).toBeLessThan(2000);
  expect(findings.length).toBe(51);
  expect(findings.at(-1)).toMatchObject({ severity: "error", rule: "too-many-findings", path: ["spec", 0] });
  expect(bytes).toBeUndefined();
});

Deno.test("readMessage() suggests for the first problems only", () => {
  const value = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`clustr${"_".repeat(i)}`, i]));
  const { findings } = readMessage(registry, NODE, value);
  expect(findings.filter((f) => f.suggestion === "cluster").length).toBe(20);
});

/** A value of `levels` objects in each other. */
function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = {};
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
}

Deno.test("readMessage() refuses nesting that Envoy could not decode, wherever it is", () => {
  const struct = (levels: number) => ({ metadata: nested(levels, (inner) => ({ a: inner })) });
  expect(readMessage(registry, NODE, struct(31)).findings).toEqual([]);
  expect(readMessage(registry, NODE, struct(40)).findings).toMatchObject([{ rule: "too-deep" }]);
  const any = "type.googleapis.com/google.protobuf.Any";
  const anys = (levels: number) => ({ "@type": any, value: nested(levels, (value) => ({ "@type": any, value })) });
  expect(readMessage(registry, "google.protobuf.Any", anys(150)).findings).toEqual([]);
  expect(readMessage(registry, "google.protobuf.Any", anys(5000)).findings).toMatchObject([{ rule: "too-deep" }]);
  const matcher = nested(5000, (inner) => ({ and_match: { rules: [inner, inner] } }));
  const { findings } = readMessage(registry, "envoy.config.common.matcher.v3.MatchPredicate", matcher, {
    limits: { findings: 3 },
  });
  expect(findings.at(-1)?.rule).toBe("too-many-findings"); // and not 2^5000 steps
});

Deno.test("readMessage() makes what it accepts no deeper than its own decoder reads", () => {
  const deepest = { metadata: nested(31, (inner) => ({ a: inner })) };
  const { bytes } = readMessage(registry, NODE, deepest);
  expect(registry.codec(NODE).decode(bytes!)).toHaveProperty("metadata");
});

Deno.test("readMessage() needs time in proportion to the size", () => {
  const route = (i: number) => ({ match: { path: `/${i}` }, route: { cluster: `c${i}` } });
  const table = (count: number) => ({
    name: "r",
    virtual_hosts: [{ name: "v", domains: ["*"], routes: Array.from({ length: count }, (_, i) => route(i)) }],
  });
  const type = resourceTypeOfItem("route")!;
  const time = (count: number) => {
    const value = table(count);
    const started = performance.now();
    expect(readResource(registry, type, value).findings).toEqual([]);
    return performance.now() - started;
  };
  time(2000);
  const small = Math.min(time(2000), time(2000), time(2000));
  const large = Math.min(time(40_000), time(40_000));
  expect(large / small).toBeLessThan(20 * 6); // quadratic would be 400
});

Deno.test("readMessage() gives the same bytes for any order of keys", () => {
  const a = { id: "n", metadata: { x: 1, y: { b: 1, a: 2 } }, locality: { zone: "z", region: "r" } };
  const b = { locality: { region: "r", zone: "z" }, metadata: { y: { a: 2, b: 1 }, x: 1 }, id: "n" };
  expect(readMessage(registry, NODE, b).bytes).toEqual(readMessage(registry, NODE, a).bytes!);
});

Deno.test("readMessage() refuses integers that lost digits, and takes bigints", () => {
  const ring = "envoy.config.cluster.v3.Cluster.RingHashLbConfig";
  const read = (value: unknown) => readMessage(registry, ring, { maximum_ring_size: value }, { rules: false });
  expect(read(2 ** 60).findings).toMatchObject([{
    rule: "out-of-range",
    message: expect.stringContaining("in quotes"),
  }]);
  expect(read(2n ** 60n).plain).toEqual({ maximum_ring_size: { value: 2n ** 60n } });
  expect(read("18446744073709551616").findings).toMatchObject([{ rule: "out-of-range" }]);
  expect(read("-0").findings).toEqual([]);
});

Deno.test("readMessage() refuses half a surrogate pair, which no bytes could say", () => {
  const half = "\ud800";
  for (const value of [{ id: half }, { metadata: { a: half } }, { metadata: { [half]: 1 } }]) {
    expect(readMessage(registry, NODE, value).findings).toMatchObject([{ rule: "wrong-type" }]);
  }
});

Deno.test("readMessage() leaves rules, deprecations and values out when told to", () => {
  const cluster = "envoy.config.cluster.v3.Cluster";
  const value = { name: "", http2_protocol_options: {}, type: "CANARY" };
  expect(readMessage(registry, cluster, { ...value, type: "EDS" }, { rules: false, deprecations: false }).findings)
    .toEqual([]);
  const { findings } = readMessage(registry, cluster, value, { sensitive: true });
  expect(findings.map((f) => f.rule)).toEqual(["deprecated", "unknown-enum-value", "string.min_len"]);
  expect(JSON.stringify(findings)).not.toContain("CANARY");
});

Deno.test("readMessage() prefixes the path, and names a field as its author spelt it", () => {
  const { findings } = readMessage(registry, "envoy.config.cluster.v3.Cluster", { name: "a", connectTimeout: "0s" }, {
    path: ["spec", "resources", 2, "value"],
  });
  expect(findings.map((f) => f.path)).toEqual([["spec", "resources", 2, "value", "connectTimeout"]]);
});

Deno.test("readResource() gives the name of a resource that is otherwise wrong, in both spellings", () => {
  const type = resourceTypeOfItem("endpoint")!;
  expect(readResource(registry, type, { clusterName: "api", x: 1 }).name).toBe("api");
  expect(readResource(registry, type, { cluster_name: "api" })).toMatchObject({ name: "api", findings: [] });
  const listener = readResource(registry, resourceTypeOfItem("listener")!, {}, { path: ["value"] });
  expect(listener.findings).toMatchObject([{ severity: "warning", rule: "missing-name", path: ["value", "name"] }]);
  expect(listener.bytes).toBeDefined();
});
