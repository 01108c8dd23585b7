import { expect } from "expect";
import fc from "fast-check";
import { testCases } from "../../tests/golden/cases.ts";
import { EndpointSlice, readEnvoyConfig, Secret } from "../api/mod.ts";
import { checkSchema, type EnvoyConfigSpec } from "../api/mod.ts";
import { formatFinding, formatPath } from "../base/mod.ts";
import { envoyRegistry, resourceTypeOf } from "../envoy/mod.ts";
import { buildSnapshot, type Built } from "./build.ts";
import { compileSpec } from "./compiled_spec.ts";
import { type Sources, sourcesOf } from "./resolve/sources.ts";
import type { Snapshot } from "./snapshot.ts";

const registry = envoyRegistry();

testCases(new URL("./testdata", import.meta.url), {
  name: "buildSnapshot()",
  run(input) {
    const spec = specOf(input.spec);
    const before = input.before === undefined ? undefined : build(spec, sources(input.before));
    const built = build(spec, sources(input), before);
    return {
      version: compileSpec(spec, "default").version,
      findings: built.findings.map(formatFinding),
      sourceFindings: built.sourceFindings.map(formatFinding),
      missing: built.missing.map(({ kind, path, served }) => ({ kind, path: formatPath(path), served })),
      used: compileSpec(spec, "default").used,
      lastGood: [...built.lastGood.keys()],
      resources: built.snapshot ? shown(built.snapshot) : "none",
    };
  },
});

const EDGE: { nodeID: string; resources: unknown[] } = {
  nodeID: "edge",
  resources: [
    { type: "cluster", value: { name: "a", connect_timeout: "1s" } },
    { type: "cluster", value: { connect_timeout: "1s", name: "b" } },
    { type: "route", value: { name: "r" } },
    { type: "secret", generateFromOpaqueSecret: { name: "s", key: "k", alias: "s" } },
    slices("api"),
    slices("web"),
  ],
};

Deno.test("a change of one item encodes only that item again, and leaves other types as they are", () => {
  const objects = sources({ secrets: [{ metadata: { name: "s" }, data: { k: "YQ==" } }] });
  const one = build(specOf(EDGE), objects);
  const route = { type: "route", value: { name: "r", internal_only_headers: ["x"] } };
  const changed = { ...EDGE, resources: EDGE.resources.toSpliced(2, 1, route) };
  const two = build(specOf(changed), objects, one);
  const fresh = [...two.cache.items].filter(([key, read]) => one.cache.items.get(key) !== read);
  expect(fresh.map(([, read]) => read.resource?.name)).toEqual(["r"]);
  const kept = [...two.snapshot!.types].filter(([url, type]) => one.snapshot!.types.get(url) === type);
  expect(kept.map(([url]) => resourceTypeOf(url)?.short).sort()).toEqual(["CDS", "EDS", "SDS"]);
  expect(two.cache.items.size).toBe(one.cache.items.size);
});

Deno.test("an event on one slice builds only the item that selects it", () => {
  const slices = ["api", "web"].map((app) =>
    checked<EndpointSlice>(EndpointSlice, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      ...slice(`${app}-1`, app, "10.0.0.1"),
    })
  );
  const spec = specOf(EDGE);
  const one = build(spec, sourcesOf([], slices));
  const moved = { ...slices[1]!, endpoints: [{ addresses: ["10.0.0.2"] }] };
  const two = build(spec, sourcesOf([], [slices[0]!, moved]), one);
  const fresh = [...two.cache.sources].filter(([key, built]) => one.cache.sources.get(key) !== built);
  expect(fresh.map(([, { resource }]) => resource?.name)).toEqual(["web"]);
});

Deno.test("the same content again is the same snapshot, also from new objects", () => {
  const objects = { secrets: [{ metadata: { name: "s" }, data: { k: "YQ==" } }] };
  const one = build(specOf(EDGE), sources(objects));
  const two = build(specOf(structuredClone(EDGE)), sources(structuredClone(objects)), one);
  expect(two.snapshot).toBe(one.snapshot);
});

Deno.test("W15: a rotated Secret and moved endpoints change resources, not the revision", () => {
  const one = build(specOf(EDGE), sources({ secrets: [{ metadata: { name: "s" }, data: { k: "YQ==" } }] }));
  const two = build(
    specOf(EDGE),
    sources({
      secrets: [{ metadata: { name: "s" }, data: { k: "Yg==" } }],
      slices: [slice("api-1", "api", "10.0.0.1")],
    }),
    one,
  );
  expect(two.snapshot).not.toBe(one.snapshot);
  expect(two.snapshot?.revision).toBe(one.snapshot?.revision);
});

Deno.test("I18: order of objects, order of fields and history do not show in the bytes", () => {
  const secrets = ["s", "t"].map((name) => ({ metadata: { name }, data: { k: "YQ==" } }));
  const all = ["1", "2", "3", "4"].flatMap((n) => [
    slice(`api-${n}`, "api", `10.0.0.${n}`),
    slice(`web-${n}`, "web", `10.0.1.${n}`),
  ]);
  const wanted = bytes(build(specOf(EDGE), sources({ secrets, slices: all })).snapshot!);
  fc.assert(
    fc.property(
      fc.shuffledSubarray(all, { minLength: all.length }),
      fc.subarray(all),
      fc.nat(),
      (order, part, turn) => {
        const history = build(specOf(EDGE), sources({ secrets: [], slices: part }));
        const spec = specOf(turnFields(EDGE, turn));
        const built = build(spec, sources({ secrets: secrets.toReversed(), slices: order }), history);
        expect(bytes(built.snapshot!)).toEqual(wanted);
      },
    ),
    { numRuns: 50 },
  );
});

Deno.test("I14: no byte of a Secret is in what is told, whatever is wrong with it", () => {
  const canary = "canary-4711";
  const kinds = [canary, `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----`, btoa(canary)];
  for (const text of kinds) {
    for (
      const items of [{ generateFromTlsSecret: "s" }, { generateFromOpaqueSecret: { name: "s", key: "k", alias: "a" } }]
    ) {
      const spec = specOf({ nodeID: "n", resources: [{ type: "secret", ...items }] });
      const secret = {
        metadata: { name: "s" },
        stringData: { "tls.crt": text, "tls.key": text, more: text },
        data: { "ca.crt": canary },
      };
      const { findings, sourceFindings, missing, lastGood } = build(spec, sources({ secrets: [secret] }));
      expect(missing).toHaveLength(1);
      const told = JSON.stringify({ findings, sourceFindings, missing, keys: [...lastGood.keys()] });
      expect(told).not.toContain(canary);
      expect(told).not.toContain(btoa(canary));
    }
  }
});

function slices(cluster: string) {
  const generateFromEndpointSlices = {
    clusterName: cluster,
    targetPort: "http",
    selector: { matchLabels: { app: cluster } },
  };
  return { type: "endpoint", generateFromEndpointSlices };
}

function slice(name: string, app: string, address: string) {
  const ports = [{ name: "http", port: 80 }];
  return { metadata: { name, labels: { app } }, addressType: "IPv4", ports, endpoints: [{ addresses: [address] }] };
}

function specOf(spec: unknown): EnvoyConfigSpec {
  const { config, findings } = readEnvoyConfig({ metadata: { name: "test" }, spec });
  if (!config) throw new Error(`The case is no EnvoyConfig: ${findings.map(formatFinding).join(", ")}`);
  return config.spec;
}

function sources(input: unknown): Sources {
  const { secrets = [], slices = [] } = input as Record<string, Record<string, unknown>[]>; // our own files
  return sourcesOf(
    secrets.map((one) => checked<Secret>(Secret, { apiVersion: "v1", kind: "Secret", ...one })),
    slices.map((one) =>
      checked<EndpointSlice>(EndpointSlice, { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", ...one })
    ),
  );
}

function checked<T>(schema: unknown, value: unknown): T {
  expect(checkSchema(schema, value)).toEqual([]);
  return value as T; // checked in the line above
}

function build(spec: EnvoyConfigSpec, objects: Sources, previous?: Built): Built {
  const input = { spec: compileSpec(spec, "default"), sources: objects };
  return buildSnapshot(
    previous ? { ...input, previous, lastGood: previous.lastGood } : input,
    { registry },
  );
}

/** Type → name → decoded message, bytes as text. */
function shown(snapshot: Snapshot): Record<string, unknown> {
  return Object.fromEntries([...snapshot.types.values()].map(({ typeUrl, resources }) => {
    const type = resourceTypeOf(typeUrl)!;
    const named = [...resources.values()].map((resource) => {
      const { body: _body, typeUrl: _url, name, ...rest } = resource;
      return [name, { ...rest, message: readable(registry.codec(type.message).decode(resource.body)) }];
    });
    return [type.short, Object.fromEntries(named)];
  }));
}

function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(readable);
  if (value === null || typeof value !== "object") return typeof value === "bigint" ? String(value) : value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, readable(member)]));
}

function bytes(snapshot: Snapshot): string[] {
  return [...snapshot.types.values()].flatMap(({ typeUrl, resources }) =>
    [...resources.values()].map(({ name, version, body }) => `${typeUrl} ${name} ${version} ${body.toHex()}`)
  );
}

/** The same value with the fields of every object turned by `by` places. */
function turnFields(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((item) => turnFields(item, by));
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([key, member]) => [key, turnFields(member, by)]);
  const at = fields.length === 0 ? 0 : by % fields.length;
  return Object.fromEntries([...fields.slice(at), ...fields.slice(0, at)]);
}

Deno.test("what is published after a refusal has versions of its own, equal content and shared bytes", () => {
  const objects = sources({ secrets: [{ metadata: { name: "s" }, data: { k: "YQ==" } }] });
  const first = build(specOf(EDGE), objects);
  const spec = compileSpec(specOf(EDGE), "default");
  const publication = { version: spec.version, rollbackCount: 2 };
  const again = buildSnapshot(
    { spec, publication, sources: objects, previous: { cache: first.cache, snapshot: first.snapshot! } },
    { registry },
  );
  expect(again.snapshot?.revision).toBe(`${spec.version}-r2`);
  for (const [typeUrl, type] of again.snapshot!.types) {
    for (const [name, resource] of type.resources) {
      const before = first.snapshot!.types.get(typeUrl)!.resources.get(name)!;
      expect(resource.version).toBe(`${before.version}-r2`);
      expect(resource.body).toBe(before.body);
      expect(resource.external).toBe(before.external);
    }
  }
  const third = buildSnapshot(
    { spec, publication, sources: objects, previous: { cache: again.cache, snapshot: again.snapshot! } },
    { registry },
  );
  expect(third.snapshot).toBe(again.snapshot);
});

Deno.test("W15: only what is made of Secrets and EndpointSlices is marked as data from outside", () => {
  const { snapshot } = build(specOf(EDGE), sources({ secrets: [{ metadata: { name: "s" }, data: { k: "YQ==" } }] }));
  const external = [...snapshot!.types.values()].flatMap((type) =>
    [...type.resources.values()].filter((resource) => resource.external).map((resource) => resource.name)
  );
  expect(external).toEqual(["api", "web", "s"].filter((name) => external.includes(name)));
  expect(external).toContain("s");
  expect(external).not.toContain("a");
  expect(external).not.toContain("r");
});
