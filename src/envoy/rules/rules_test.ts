import { expect } from "expect";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { envoyRegistry, KIND, readMessage, type Registry } from "../mod.ts";
import { encodeMessage } from "../wire/encode.ts";

const base = envoyRegistry();

/** How the one field `x` of a made-up message looks. */
interface FieldShape {
  readonly kind: number;
  readonly repeated?: boolean;
  readonly type?: string;
}

/** Knows `acme.M`, whose field `x` has the rules. */
function registryWith(rules: Record<string, unknown>, { kind, repeated = false, type }: FieldShape): Registry {
  const field = encodeMessage(base.message("google.protobuf.FieldDescriptorProto")!, {
    name: "x",
    number: 1,
    label: repeated ? 3 : 1,
    type: kind,
    ...(type === undefined ? {} : { type_name: `.${type}` }),
  });
  const options = part(1071, base.codec("validate.FieldRules").encode(rules));
  const message = [...part(1, text("M")), ...part(2, [...field, ...part(8, options)])];
  const file = [
    ...part(1, text("acme.proto")),
    ...part(2, text("acme")),
    ...part(4, message),
    ...part(12, text("proto3")),
  ];
  return base.with(new Uint8Array(part(1, file)));
}

/** A length-delimited field. */
function part(number: number, content: ArrayLike<number>): number[] {
  return [...varint(number << 3 | 2), ...varint(content.length), ...Array.from(content)];
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [value & 127 | 128, ...varint(value >>> 7)];
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** Rules broken by each value of `x`; `absent` for no `x` at all. */
function broken(rules: Record<string, unknown>, shape: FieldShape, values: readonly unknown[]): string[] {
  const registry = registryWith(rules, shape);
  return values.map((x) => {
    const { findings } = readMessage(registry, "acme.M", x === "absent" ? {} : { x });
    return findings.map((f) => f.rule).join(" ");
  });
}

const STRING = { kind: KIND.STRING };
const DURATION = { kind: KIND.MESSAGE, type: "google.protobuf.Duration" };

Deno.test("string rules count code points and UTF-8 bytes", () => {
  const four = "ab\u{1f600}é";
  expect(broken({ string: { min_len: 4, max_len: 4 } }, STRING, [four, "abc", `${four}x`, "absent"]))
    .toEqual(["", "string.min_len", "string.max_len", "string.min_len"]);
  expect(broken({ string: { max_bytes: 8 } }, STRING, [four, `${four}x`])).toEqual(["", "string.max_bytes"]);
  expect(broken({ string: { len: 2 } }, STRING, ["ab", "a", ""])).toEqual(["", "string.len", "string.len"]);
  expect(broken({ string: { min_len: 2, ignore_empty: true } }, STRING, ["", "a", "absent"]))
    .toEqual(["", "string.min_len", ""]);
});

Deno.test("string rules of content", () => {
  const cases: [Record<string, unknown>, string, string][] = [
    [{ const: "a" }, "a", "b"],
    [{ prefix: "/a" }, "/ab", "a"],
    [{ suffix: ".x" }, "a.x", ".xa"],
    [{ contains: "--" }, "a--b", "a-b"],
    [{ not_contains: "--" }, "a-b", "a--b"],
    [{ in: ["a", "b"] }, "b", "c"],
    [{ not_in: ["a", "b"] }, "c", "b"],
    [{ pattern: "^[a-z]+" }, "abc", "abc1"], // matches the whole, as Envoy's C++ does
    [{ pattern: "\\s*" }, "\t", "\u00a0"], // RE2's \s is ASCII
    [{ ip: true }, "::1", "1.2.3"],
    [{ ipv4: true }, "10.0.0.255", "10.0.0.256"],
    [{ ipv6: true }, "fe80::1", "10.0.0.1"],
    [{ hostname: true }, "a-b.example", "-a.example"],
    [{ address: true }, "a.example", "a b"],
    [{ email: true }, "a@b.example", "a.example"],
    [{ uri: true }, "http://a/b", "/b"],
    [{ uri_ref: true }, "/b", "http://a:b"],
    [{ uuid: true }, "123e4567-e89b-12d3-a456-426614174000", "123e4567"],
    [{ well_known_regex: 1 }, ":path", "a b"],
    [{ well_known_regex: 2 }, "a b\tc", "a\rb"],
    [{ well_known_regex: 2, strict: false }, "a\u0001b", "a\nb"],
  ];
  for (const [rule, fine, wrong] of cases) {
    const name = `string.${Object.keys(rule)[0]}`;
    expect([rule, ...broken({ string: rule }, STRING, [fine, wrong])]).toEqual([rule, "", name]);
  }
});

Deno.test("well-known header expressions are those of protoc-gen-validate", () => {
  const originals = {
    1: "^:?[0-9a-zA-Z!#$%&'*+-.^_|~\\x60]+$",
    2: "^[^\\x{0000}-\\x{0008}\\x{000A}-\\x{001F}\\x{007F}]*$",
  };
  for (const [known, original] of Object.entries(originals)) {
    const registry = registryWith({ string: { well_known_regex: Number(known) } }, STRING);
    const pattern = RE2JS.compile(original);
    const agrees = (value: string) => {
      const { findings } = readMessage(registry, "acme.M", { x: value });
      expect([value, findings.length === 0]).toEqual([value, pattern.matches(value)]);
    };
    for (let code = 0; code < 300; code++) [String.fromCharCode(code), `a${String.fromCharCode(code)}`].forEach(agrees);
    fc.assert(fc.property(fc.string({ unit: "binary" }), agrees));
  }
});

Deno.test("numbers keep within bounds, of 64 bits too, and NaN breaks none, as in Envoy", () => {
  const u64 = { kind: KIND.UINT64 };
  const limit = 2n ** 53n + 1n;
  expect(broken({ uint64: { lt: limit } }, u64, ["9007199254740992", "9007199254740993"])).toEqual(["", "uint64.lt"]);
  expect(broken({ uint64: { in: [limit] } }, u64, ["9007199254740993", "9007199254740992"])).toEqual(["", "uint64.in"]);
  expect(broken({ int32: { gt: -2, lte: 3 } }, { kind: KIND.INT32 }, [-2, -1, 3, 4, "absent"]))
    .toEqual(["int32.gt", "", "", "int32.lte", ""]);
  expect(broken({ double: { gte: 0, lt: 1 } }, { kind: KIND.DOUBLE }, ["NaN", -0.5, 1, "Infinity"]))
    .toEqual(["", "double.gte", "double.lt", "double.lt"]);
  expect(broken({ uint32: { const: 5, not_in: [7] } }, { kind: KIND.UINT32 }, [5, 6, 7, "absent"]))
    .toEqual(["", "uint32.const", "uint32.const uint32.not_in", "uint32.const"]);
  expect(broken({ uint32: { gte: 5, ignore_empty: true } }, { kind: KIND.UINT32 }, [0, 4, 5])).toEqual([
    "",
    "uint32.gte",
    "",
  ]);
});

Deno.test("bounds the wrong way round name what is excluded", () => {
  expect(broken({ int32: { lt: 0, gt: 10 } }, { kind: KIND.INT32 }, [-1, 0, 10, 11])).toEqual([
    "",
    "int32.lt",
    "int32.lt",
    "",
  ]);
  expect(broken({ duration: { lt: { seconds: 1 }, gte: { seconds: 5 } } }, DURATION, ["0.999s", "1s", "4.9s", "5s"]))
    .toEqual(["", "duration.lt", "duration.lt", ""]);
});

Deno.test("durations compare to the nanosecond", () => {
  const rule = { duration: { required: true, gte: { nanos: 1_000_000 }, lt: { seconds: 315_576_000_000 } } };
  expect(
    broken(rule, DURATION, ["0.001s", "0.000999999s", "-1s", "315575999999.999999999s", "315576000000s", "absent"]),
  )
    .toEqual(["", "duration.gte", "duration.gte", "", "duration.lt", "duration.required"]);
});

Deno.test("wrappers are checked when they are there, messages required when asked for", () => {
  const wrapper = { kind: KIND.MESSAGE, type: "google.protobuf.UInt32Value" };
  expect(broken({ uint32: { gte: 1 } }, wrapper, ["absent", null, 0, 1])).toEqual(["", "", "uint32.gte", ""]);
  expect(broken({ message: { required: true }, uint32: { gte: 1 } }, wrapper, ["absent", null, 0, 1]))
    .toEqual(["message.required", "message.required", "uint32.gte", ""]);
});

Deno.test("message.skip exempts the message in a field, but not what an Any in it holds", () => {
  const shape = { kind: KIND.MESSAGE, type: "envoy.config.core.v3.TransportSocket" };
  const any = { "@type": "type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer" };
  expect(broken({ message: { skip: true } }, shape, [{}, { typed_config: any }])).toEqual(["", "message.required"]);
  expect(broken({ message: { required: true } }, shape, [{}])).toEqual(["string.min_len"]);
});

Deno.test("lists and maps: sizes, items, keys, uniqueness", () => {
  const list = { kind: KIND.STRING, repeated: true };
  expect(broken({ repeated: { min_items: 1, max_items: 2 } }, list, [[], ["a"], ["a", "b", "c"], "absent"]))
    .toEqual(["repeated.min_items", "", "repeated.max_items", "repeated.min_items"]);
  expect(broken({ repeated: { min_items: 2, ignore_empty: true } }, list, [[], ["a"]])).toEqual([
    "",
    "repeated.min_items",
  ]);
  expect(broken({ repeated: { items: { string: { min_len: 1 } } } }, list, [["a", ""]])).toEqual(["string.min_len"]);
  expect(broken({ repeated: { unique: true } }, list, [["a", "b"], ["a", "b", "a"]])).toEqual(["", "repeated.unique"]);
  const messages = { kind: KIND.MESSAGE, repeated: true, type: "envoy.type.v3.Percent" };
  expect(broken({ repeated: { unique: true } }, messages, [[{ value: 1 }, { value: 2 }], [{ value: 1 }, { value: 1 }]]))
    .toEqual(["", "repeated.unique"]);
});

Deno.test("enum, bool, bytes and any", () => {
  const enumeration = { kind: KIND.ENUM, type: "envoy.config.core.v3.TrafficDirection" };
  expect(broken({ enum: { defined_only: true, not_in: [1] } }, enumeration, [0, 1, "OUTBOUND", 9]))
    .toEqual(["", "enum.not_in", "", "enum.defined_only"]);
  expect(broken({ bool: { const: true } }, { kind: KIND.BOOL }, [true, false, "absent"])).toEqual([
    "",
    "bool.const",
    "bool.const",
  ]);
  const bytes = { kind: KIND.BYTES };
  expect(broken({ bytes: { min_len: 1, prefix: new Uint8Array([1]) } }, bytes, ["AQI=", "", "Ag=="]))
    .toEqual(["", "bytes.min_len bytes.prefix", "bytes.prefix"]);
  expect(broken({ bytes: { contains: new Uint8Array([0x12]) } }, bytes, ["ASE=", "EgE="])).toEqual([
    "bytes.contains",
    "",
  ]);
  const any = { kind: KIND.MESSAGE, type: "google.protobuf.Any" };
  const empty = { "@type": "type.googleapis.com/google.protobuf.Empty" };
  expect(broken({ any: { required: true, in: ["type.googleapis.com/acme.X"] } }, any, ["absent", empty]))
    .toEqual(["any.required", "any.in"]);
});
