import { expect } from "expect";
import fc from "fast-check";
import { envoyRegistry } from "../registry.ts";
import { WireReader } from "./reader.ts";
import { WireWriter } from "./writer.ts";

const registry = envoyRegistry();

/** The bytes of a sequence of writes. */
function written(write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter(1);
  write(writer);
  return writer.finish();
}

Deno.test("WireReader reads back what WireWriter wrote, for all scalars", () => {
  fc.assert(fc.property(
    fc.record({
      u32: fc.nat({ max: 0xffff_ffff }),
      i32: fc.integer(),
      u64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      i64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      double: fc.double(),
      text: fc.string({ unit: "binary", maxLength: 300 }),
      bytes: fc.uint8Array({ maxLength: 300 }),
    }),
    ({ u32, i32, u64, i64, double, text, bytes }) => {
      const reader = new WireReader(written((w) => {
        w.uint32(u32);
        w.int32(i32);
        w.sint32(i32);
        w.fixed32(i32);
        w.varint64(u64);
        w.varint64(i64);
        w.sint64(i64);
        w.fixed64(u64);
        w.fixed64(i64);
        w.double(double);
        w.text(text);
        w.slice(bytes);
      }));
      expect(reader.uint32()).toBe(u32);
      expect(reader.uint32() | 0).toBe(i32);
      expect(reader.sint32()).toBe(i32);
      expect(reader.sfixed32()).toBe(i32);
      expect(BigInt(reader.uint64())).toBe(u64);
      expect(BigInt(reader.int64())).toBe(i64);
      expect(BigInt(reader.sint64())).toBe(i64);
      expect(BigInt(reader.fixed64())).toBe(u64);
      expect(BigInt(reader.sfixed64())).toBe(i64);
      expect(reader.double()).toBe(double);
      expect(reader.text()).toBe(text);
      expect([...reader.slice()]).toEqual([...bytes]);
      expect(reader.more()).toBe(false);
    },
  ));
});

Deno.test("WireReader gives 64-bit integers as numbers exactly where they are exact", () => {
  const read = (value: bigint) => new WireReader(written((w) => w.varint64(value))).int64();
  expect(read(2n ** 53n - 1n)).toBe(9007199254740991);
  expect(read(2n ** 53n)).toBe(9007199254740992n);
  expect(read(-(2n ** 53n) + 1n)).toBe(-9007199254740991);
  expect(read(-1n)).toBe(-1);
});

Deno.test("WireWriter.close() makes room for lengths of every size", () => {
  for (const size of [0, 1, 127, 128, 16383, 16384, 2097151, 2097152]) {
    const bytes = written((w) => {
      const opened = w.open();
      for (let i = 0; i < size; i++) w.uint32(i & 127);
      w.close(opened);
      w.uint32(7);
    });
    const reader = new WireReader(bytes);
    expect(reader.slice().length).toBe(size);
    expect(reader.uint32()).toBe(7);
  }
});

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
    const entry = new WireReader(reader.slice());
    entry.tag();
    keys.push(entry.text());
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
  expect(codec.encode({ inline_string: "ok" }).length).toBe(4); // the failed one left nothing behind
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
