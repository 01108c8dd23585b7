import { expect } from "expect";
import fc from "fast-check";
import { Writer } from "protobufjs/minimal.js";
import { envoyRegistry } from "../registry.ts";
import { KIND, type Plain } from "../schema/mod.ts";
import { fromLong, narrow, toLong } from "./integer.ts";
import { WireReader } from "./reader.ts";

const registry = envoyRegistry();

/** What is read from the bytes of a sequence of writes. */
function written(write: (writer: Writer) => void): WireReader {
  const writer = new Writer();
  write(writer);
  return new WireReader(writer.finish());
}

const UNSIGNED = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const SIGNED = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

Deno.test("64-bit integers survive the library in every kind of field", () => {
  const examples: [bigint, bigint][] = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n]
    .flatMap((n) => [[n, n], [2n ** 64n - 1n - n, -n - 1n]]);
  fc.assert(
    fc.property(UNSIGNED, SIGNED, (u64, i64) => {
      const reader = written((w) => {
        w.int64(toLong(u64)).int64(toLong(i64)).sint64(toLong(i64)).fixed64(toLong(u64)).fixed64(toLong(i64));
        w.int64(toLong(narrow(u64))).int64(toLong(narrow(i64))).sint64(toLong(narrow(i64)));
        w.fixed64(toLong(narrow(i64)));
      });
      expect(fromLong(reader.uint64())).toBe(narrow(u64));
      expect(fromLong(reader.int64())).toBe(narrow(i64));
      expect(fromLong(reader.sint64())).toBe(narrow(i64));
      expect(fromLong(reader.fixed64())).toBe(narrow(u64));
      expect(fromLong(reader.sfixed64())).toBe(narrow(i64));
      expect(fromLong(reader.uint64())).toBe(narrow(u64));
      expect(fromLong(reader.int64())).toBe(narrow(i64));
      expect(fromLong(reader.sint64())).toBe(narrow(i64));
      expect(fromLong(reader.sfixed64())).toBe(narrow(i64));
      expect(reader.more()).toBe(false);
    }),
    { examples },
  );
});

Deno.test("64-bit integers are numbers exactly where they are exact", () => {
  const read = (value: bigint) => fromLong(written((w) => w.int64(toLong(value))).int64());
  expect(read(2n ** 53n - 1n)).toBe(9007199254740991);
  expect(read(2n ** 53n)).toBe(9007199254740992n);
  expect(read(-(2n ** 53n) + 1n)).toBe(-9007199254740991);
  expect(read(-(2n ** 53n))).toBe(-9007199254740992n);
  expect(read(-1n)).toBe(-1);
});

/** Values of every kind of scalar. */
const SCALARS: readonly (readonly [kind: number, values: fc.Arbitrary<unknown>])[] = [
  [KIND.DOUBLE, fc.double()],
  [KIND.FLOAT, fc.float()],
  [KIND.INT64, SIGNED.map(narrow)],
  [KIND.UINT64, UNSIGNED.map(narrow)],
  [KIND.INT32, fc.integer()],
  [KIND.FIXED64, UNSIGNED.map(narrow)],
  [KIND.FIXED32, fc.nat({ max: 0xffff_ffff })],
  [KIND.BOOL, fc.boolean()],
  [KIND.STRING, fc.string({ unit: "binary", maxLength: 300 })],
  [KIND.BYTES, fc.uint8Array({ maxLength: 20 })],
  [KIND.UINT32, fc.nat({ max: 0xffff_ffff })],
  [KIND.SFIXED32, fc.integer()],
  [KIND.SFIXED64, SIGNED.map(narrow)],
  [KIND.SINT32, fc.integer()],
  [KIND.SINT64, SIGNED.map(narrow)],
];

Deno.test("Codec.decode() reads scalars of every kind as Codec.encode() wrote them, alone and in lists", () => {
  const LABEL = { one: 1, many: 3 };
  const field = SCALARS.flatMap(([kind]) => [
    { name: `one_${kind}`, number: kind, label: LABEL.one, type: kind },
    { name: `many_${kind}`, number: 100 + kind, label: LABEL.many, type: kind },
  ]);
  const file = { name: "acme/all.proto", package: "acme", syntax: "proto3", message_type: [{ name: "All", field }] };
  const set = registry.codec("google.protobuf.FileDescriptorSet").encode({ file: [file] });
  const codec = registry.with(set).codec("acme.All");
  for (const [kind, values] of SCALARS) {
    const [one, many] = [`one_${kind}`, `many_${kind}`];
    fc.assert(
      fc.property(values, fc.array(values, { minLength: 1, maxLength: 4 }), (value, list) => {
        const read = codec.decode(codec.encode({ [one]: value, [many]: list }));
        expect({ one: read[one], many: read[many] }).toEqual({ one: value, many: list });
      }),
      { numRuns: 50 },
    );
  }
});

Deno.test("Codec.encode() gives messages lengths of every size, and arrays that share no memory", () => {
  const codec = registry.codec("google.protobuf.Option");
  for (const size of [0, 1, 120, 127, 128, 16370, 16384, 2097140, 2097152]) {
    const value = { type_url: "x", value: new Uint8Array(size).fill(7) };
    const bytes = codec.encode({ name: "n", value });
    const again = codec.encode({ name: "m" });
    expect([size, bytes.constructor, bytes.byteLength]).toEqual([size, Uint8Array, bytes.buffer.byteLength]);
    expect(codec.decode(again)).toEqual({ name: "m" });
    const read = codec.decode(bytes);
    const inner = (read["value"] as Plain)["value"] as Uint8Array; // as they were written above
    expect([read["name"], inner.length, inner.every((byte) => byte === 7)]).toEqual(["n", size, true]);
  }
});

Deno.test("Codec.encode() writes text as valid UTF-8, also when it holds half a surrogate", () => {
  const codec = registry.codec("google.protobuf.StringValue");
  for (const rest of ["", "x".repeat(60), "é".repeat(200)]) {
    expect(codec.decode(codec.encode({ value: `a\ud83d${rest}` }))).toEqual({ value: `a\ufffd${rest}` });
  }
});

const REFUSED: Readonly<Record<string, readonly number[]>> = {
  "an end inside a tag": [0x80],
  "an end inside a varint": [0x30, 0x80, 0x80],
  "a varint of eleven bytes": [0x30, ...Array(10).fill(0x80), 1],
  "a skipped varint of eleven bytes": [0xf8, 0x07, ...Array(10).fill(0x80), 1],
  "a tag of more than 32 bits": [0xff, 0xff, 0xff, 0xff, 0x7f, 0],
  "field number 0": [0x00, 0x00],
  "field number 0 inside a group": [0xfb, 0x07, 0x00, 0x00, 0xfc, 0x07],
  "a length beyond the end": [0x12, 5, 1],
  "a length of 2^32 - 1": [0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 1],
  "a skipped length beyond the end": [0xfa, 0x07, 5, 1],
  "an end inside a skipped fixed32": [0xfd, 0x07, 1, 2, 3],
  "an end inside a skipped fixed64": [0xf9, 0x07, 1, 2, 3, 4],
  "a lone end of a group": [0x0c],
  "a group that does not end": [0xfb, 0x07, 8, 1],
  "a group that ends with another number": [0xfb, 0x07, 0xf4, 0x07],
  "wire type 7": [0x0f, 1],
  "groups nested 102 deep": [...Array(102).fill(0x0b), ...Array(102).fill(0x0c)],
  "text that is not UTF-8": [0x0a, 2, 0xc3, 0x28],
  "text that holds half a surrogate": [0x0a, 3, 0xed, 0xa0, 0xbd],
  "long text that is not UTF-8": [0x0a, 100, ...Array(99).fill(65), 0xff],
  "a text beyond its message": [0x22, 2, 0x0a, 3, 65, 65, 65],
  "a message beyond its message": [0x22, 2, 0x12, 3, 0x0a, 1, 65],
};

for (const [what, bytes] of Object.entries(REFUSED)) {
  Deno.test(`Codec.decode() refuses ${what} as invalid input`, () => {
    const codec = registry.codec("google.protobuf.Type"); // 1 is a text, 2 and 4 are messages, 6 is an enum
    try {
      codec.decode(new Uint8Array(bytes));
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "invalid-input" });
      expect((thrown as Error).message).toMatch(/^Cannot read protobuf bytes: /); // matched above
      return;
    }
    throw new Error("nothing was thrown");
  });
}

Deno.test("Codec.decode() merges a message that comes twice and keeps the last of a oneof", () => {
  const codec = registry.codec("envoy.config.core.v3.DataSource");
  const [name, inline] = [codec.encode({ filename: "a" }), codec.encode({ inline_string: "b" })];
  expect(codec.decode(new Uint8Array([...name, ...inline]))).toEqual({ inline_string: "b" });
  const cluster = registry.codec("envoy.config.cluster.v3.Cluster");
  const [first, second] = [{ eds_config: { ads: {} } }, { service_name: "x" }]
    .map((eds) => cluster.encode({ eds_cluster_config: eds }));
  expect(cluster.decode(new Uint8Array([...first!, ...second!])))
    .toEqual({ eds_cluster_config: { eds_config: { ads: {} }, service_name: "x" } });
});

Deno.test("Codec.decode() takes packed and unpacked lists and skips what it does not know, groups too", () => {
  const codec = registry.codec("envoy.extensions.filters.http.compressor.v3.Compressor.ResponseDirectionConfig");
  const field = codec.descriptor.byName.get("uncompressible_response_codes")!.number;
  const unpacked = [field << 3, 200, 1, field << 3, 7];
  const packed = [field << 3 | 2, 3, 200, 1, 7];
  const unknown = [...[0xf8, 0x07, 1], ...[0xfb, 0x07, 8, 1, 0xfc, 0x07], ...[0xfd, 0x07, 1, 2, 3, 4]];
  expect(codec.decode(new Uint8Array([...unpacked, ...unknown, ...packed])))
    .toEqual({ uncompressible_response_codes: [200, 7, 200, 7] });
});

Deno.test("Codec.decode() reads absent fields as zero without owning them", () => {
  const request = registry.codec("envoy.service.discovery.v3.DiscoveryRequest").decode(new Uint8Array());
  expect(request["version_info"]).toBe("");
  expect(request["resource_names"]).toEqual([]);
  expect(request["node"]).toBeUndefined();
  expect(Object.keys(request)).toEqual([]);
});

Deno.test("Codec.encode() sorts map keys as their bytes compare, and leaves zeros out", () => {
  const codec = registry.codec("google.protobuf.Struct");
  const keys = ["b", "a", "10", "9", "\u{1f600}", "\uffee", "é", ""];
  const bytes = codec.encode({ fields: Object.fromEntries(keys.map((key) => [key, { null_value: 0 }])) });
  const wanted = [...keys].sort((a, b) => compareBytes(new TextEncoder().encode(a), new TextEncoder().encode(b)));
  expect(mapKeys(bytes)).toEqual(wanted);
  const cluster = registry.codec("envoy.config.cluster.v3.Cluster");
  expect(cluster.encode({ name: "", lb_policy: 0, respect_dns_ttl: false, health_checks: [] })).toEqual(
    new Uint8Array(),
  );
});

/** Keys of a map in field 1, in the order of the wire. */
function mapKeys(bytes: Uint8Array): string[] {
  const keys: string[] = [];
  const reader = new WireReader(bytes);
  while (reader.more()) {
    reader.tag();
    const entry = new WireReader(reader.bytes());
    entry.tag();
    keys.push(entry.stringVerify());
  }
  return keys;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? a.length - b.length : at >= b.length ? 1 : a[at]! - b[at]!;
}

Deno.test("Codec.encode() refuses values of another type without repeating them", () => {
  const codec = registry.codec("envoy.config.core.v3.DataSource");
  expect(() => codec.encode({ inline_string: new Uint8Array([1]) })).toThrow('Cannot encode field "inline_string"');
  expect(() => codec.encode({ inline_bytes: "CANARY" })).toThrow(/^(?!.*CANARY).*inline_bytes/);
  const nested = registry.codec("google.protobuf.Type");
  expect(() => nested.encode({ options: [{ name: "a", value: { type_url: 1 } }] })).toThrow('field "type_url"');
  expect(codec.encode({ inline_string: "ok" }).length).toBe(4); // the failed ones left nothing behind
});

Deno.test("Codec.decode() of any bytes gives a message or an error that names the input", () => {
  const codec = registry.codec("envoy.config.listener.v3.Listener");
  const errors: string[] = [];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        codec.decode(bytes);
      } catch (thrown) {
        const { code, message } = thrown as { code?: string; message: string };
        expect(code).toBe("invalid-input");
        errors.push(message);
      }
    }),
    { numRuns: 3000 },
  );
  expect(errors.length).toBeGreaterThan(100);
});

Deno.test("Codec.decode() ends at 100 levels of messages", () => {
  const nest = (levels: number) => {
    let value: Record<string, unknown> = { string_value: "x" };
    for (let i = 0; i < levels; i++) value = { list_value: { values: [value] } };
    return registry.codec("google.protobuf.Value").encode(value);
  };
  const codec = registry.codec("google.protobuf.Value");
  expect(codec.decode(nest(49))).toHaveProperty("list_value");
  expect(() => codec.decode(nest(50))).toThrow("more than 100 levels");
});
