import { expect } from "expect";
import { descriptorSet } from "../../protos/mod.ts";
import { sha256Hex } from "../base/hash/mod.ts";
import {
  envoyRegistry,
  KIND,
  readMessage,
  Registry,
  RESOURCE_TYPES,
  resourceTypeOf,
  resourceTypeOfItem,
} from "./mod.ts";
import { encodeMessage } from "./wire/encode.ts";

const registry = envoyRegistry();

function linesOf(file: string): string[] {
  const text = Deno.readTextFileSync(new URL(`testdata/${file}`, import.meta.url));
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

Deno.test("Registry knows every type of the examples and references of Envoy's documentation", () => {
  const names = linesOf("documented_types.txt");
  expect(names.length).toBeGreaterThan(250);
  expect(names.filter((name) => !registry.has(name))).toEqual([]);
});

Deno.test("Registry knows every configuration type that Envoy 1.40 lists as its own", () => {
  const names = linesOf("extension_types.txt");
  expect(names.length).toBeGreaterThan(350);
  expect(names.filter((name) => !registry.has(name))).toEqual([]);
});

Deno.test("Registry is made from the descriptor set that VERSION names", () => {
  const version = Deno.readTextFileSync(new URL("../../protos/VERSION", import.meta.url));
  const set = descriptorSet();
  expect(version).toContain(`sha256 ${sha256Hex(set)}`);
  expect(version).toContain(`bytes ${set.length}`);
  expect(version).toContain(`messages ${[...registry.names()].length}\n`);
});

Deno.test("Registry resolves every field of every message, and compiles every rule", () => {
  let fields = 0;
  for (const name of registry.names()) {
    for (const field of registry.message(name)!.fields) {
      if (field.kind === KIND.MESSAGE) expect(field.message.name).toBe(field.typeName);
      if (field.kind === KIND.ENUM) expect(field.enum.name).toBe(field.typeName);
      fields++;
    }
    readMessage(registry, name, {}); // compiles the rules of the message
  }
  expect(fields).toBeGreaterThan(5000);
});

Deno.test("Registry gives nothing for names of another kind, and codec() throws", () => {
  expect(registry.has("envoy.config.core.v3.ApiVersion")).toBe(false);
  expect(registry.message("envoy.config.core.v3.ApiVersion")).toBeUndefined();
  expect(registry.enum("envoy.config.core.v3.ApiVersion")?.byName.get("V3")?.number).toBe(2);
  expect(registry.service("envoy.config.cluster.v3.Cluster")).toBeUndefined();
  expect(() => registry.codec("acme.Nothing")).toThrow('Cannot find type "acme.Nothing"');
});

Deno.test("Registry finds files for gRPC reflection by name and by symbol", () => {
  const file = registry.fileOf("envoy.service.discovery.v3.AggregatedDiscoveryService.StreamAggregatedResources");
  expect(file?.name).toBe("envoy/service/discovery/v3/ads.proto");
  expect(file).toBe(registry.file("envoy/service/discovery/v3/ads.proto"));
  for (const name of file!.dependencies) expect(registry.file(name)?.name).toBe(name);
  expect([...registry.services()]).toContain("grpc.health.v1.Health");
  expect(registry.fileOf("acme.Nothing")).toBeUndefined();
});

Deno.test("RESOURCE_TYPES agree with the descriptors", () => {
  expect(RESOURCE_TYPES.map((t) => t.short).join(" ")).toBe("CDS EDS SDS LDS RDS SRDS VHDS ECDS RTDS");
  for (const type of RESOURCE_TYPES) {
    expect(registry.message(type.message)?.byName.has(type.nameField)).toBe(true);
    const methods = new Map(registry.service(type.service.name)?.methods.map((m) => [m.name, m]));
    if (type.service.stream !== "") expect(methods.get(type.service.stream)?.input).toMatch(/\.DiscoveryRequest$/);
    expect(methods.get(type.service.delta)?.input).toMatch(/\.DeltaDiscoveryRequest$/);
    expect(resourceTypeOf(type.typeUrl)).toBe(type);
    expect(resourceTypeOfItem(type.item)).toBe(type);
  }
  expect(resourceTypeOf("envoy.config.cluster.v3.Cluster")).toBeUndefined();
  expect(resourceTypeOfItem("constructor")).toBeUndefined();
});

/** A descriptor set of one file, written by the codec itself. */
function setOf(file: Record<string, unknown>): Uint8Array {
  return encodeMessage(registry.message("google.protobuf.FileDescriptorSet")!, {
    file: [{ syntax: "proto3", ...file }],
  });
}

const ACME = {
  name: "acme/filter.proto",
  package: "acme",
  message_type: [{
    name: "Filter",
    field: [
      { name: "level", number: 1, label: 1, type: 13 },
      { name: "cluster", number: 2, label: 1, type: 11, type_name: ".envoy.config.cluster.v3.Cluster" },
    ],
  }],
};

Deno.test("Registry.with() adds types that refer to known ones, and leaves the registry as it was", () => {
  const wider = registry.with(setOf(ACME));
  const value = { "@type": "type.googleapis.com/acme.Filter", level: 3, cluster: { name: "api", nme: 1 } };
  const read = readMessage(wider, "envoy.config.core.v3.TypedExtensionConfig", { name: "x", typed_config: value });
  expect(read.findings.map((f) => f.path.join("."))).toEqual(["typed_config.cluster.nme"]);
  expect(registry.has("acme.Filter")).toBe(false);
  expect(wider.codec("acme.Filter").encode({ level: 3 })).toEqual(new Uint8Array([8, 3]));
});

Deno.test("Registry.with() takes a set that brings along known files", () => {
  const known = registry.file("google/protobuf/duration.proto")!;
  const set = new Uint8Array([10, ...lengthOf(known.bytes.length), ...known.bytes, ...setOf(ACME)]);
  expect(registry.with(set).has("acme.Filter")).toBe(true);
});

function lengthOf(length: number): number[] {
  return length < 128 ? [length] : [(length & 127) | 128, length >> 7];
}

Deno.test("Registry.with() refuses sets that are malformed, incomplete, or define a known name anew", () => {
  expect(() => registry.with(new Uint8Array([10, 200]))).toThrow("Cannot read protobuf bytes");
  const other = { ...ACME, package: "envoy.config.cluster.v3", message_type: [{ name: "Cluster" }] };
  expect(() => registry.with(setOf(other))).toThrow('"envoy.config.cluster.v3.Cluster" in "acme/filter.proto"');
  const field = { name: "x", number: 1, label: 1, type: 11, type_name: ".acme.Missing" };
  expect(() => registry.with(setOf({ ...ACME, message_type: [{ name: "Filter", field: [field] }] })))
    .toThrow('Cannot find type "acme.Missing"');
  const rules = registry.codec("validate.FieldRules").encode({ string: { pattern: "(?<=a)b" } });
  const options = new Uint8Array([0xfa, 0x42, rules.length, ...rules]); // extension 1071
  const text = encodeMessage(registry.message("google.protobuf.FieldDescriptorProto")!, {
    name: "x",
    number: 1,
    label: 1,
    type: 9,
  });
  expect(() => registry.with(fileWithField(new Uint8Array([...text, 0x42, options.length, ...options])))).toThrow(
    "acme.Filter",
  );
});

/** A set of a file "acme/filter.proto" with message "acme.Filter" of one encoded field. */
function fileWithField(field: Uint8Array): Uint8Array {
  const wrap = (tag: number, bytes: Iterable<number>) => [tag, ...lengthOf([...bytes].length), ...bytes];
  const text = (tag: number, value: string) => wrap(tag, new TextEncoder().encode(value));
  const message = [...text(10, "Filter"), ...wrap(18, field)];
  return new Uint8Array(wrap(10, [...text(10, "acme/filter.proto"), ...text(18, "acme"), ...wrap(34, message)]));
}

Deno.test("new Registry() of any bytes throws only errors that name the input", () => {
  const set = descriptorSet();
  for (let i = 0; i < 300; i++) {
    const broken = set.slice(0, 2000 + i * 7);
    broken[i * 5] = (broken[i * 5]! + i) & 255;
    try {
      new Registry(broken);
    } catch (thrown) {
      expect((thrown as { code?: string }).code).toBe("invalid-input");
    }
  }
});

Deno.test("Registry.message() tells of a type that is malformed inside when it is asked for", () => {
  const opened = new Registry(fileWithField(new Uint8Array([10, 9, 65]))); // opening only takes note of names
  try {
    opened.message("acme.Filter");
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: "invalid-input" });
    return;
  }
  throw new Error("nothing was thrown");
});
