import { expect } from "expect";
import { canonicalJson } from "../../base/mod.ts";
import { envoyRegistry, readMessage, REDACTED, toJson } from "../mod.ts";

const registry = envoyRegistry();
const SECRET = "envoy.extensions.transport_sockets.tls.v3.Secret";

function bytesOf(message: string, value: unknown): Uint8Array {
  const { bytes, findings } = readMessage(registry, message, value, { rules: false });
  expect(findings.filter((f) => f.severity === "error")).toEqual([]);
  return bytes!;
}

Deno.test("toJson() hides texts and bytes below sensitive fields and keeps the rest", () => {
  const bytes = bytesOf(SECRET, {
    name: "edge",
    tls_certificate: {
      certificate_chain: { inline_string: "PUBLIC" },
      private_key: { inline_string: "CANARY" },
      password: { inline_bytes: "Q0FOQVJZ" },
    },
  });
  const json = toJson(registry, SECRET, bytes);
  expect(json).toEqual({
    name: "edge",
    tls_certificate: {
      certificate_chain: { inline_string: "PUBLIC" },
      private_key: { inline_string: REDACTED },
      password: { inline_bytes: REDACTED },
    },
  });
  expect(canonicalJson(toJson(registry, SECRET, bytes, { reveal: true }))).toContain("CANARY");
});

Deno.test("toJson() hides whatever lies below a sensitive field, through Any, Struct and maps", () => {
  const provider = "envoy.extensions.transport_sockets.tls.v3.PrivateKeyProvider";
  const any = (type: string, rest: Record<string, unknown>) => ({ "@type": `type.googleapis.com/${type}`, ...rest });
  const insides = [
    any("google.protobuf.Struct", { value: { key: ["CANARY", 4711, true, null, { a: "CANARY" }] } }),
    any("google.protobuf.StringValue", { value: "CANARY" }),
    any("google.protobuf.UInt64Value", { value: "4711" }),
    any("google.protobuf.Duration", { value: "4711s" }),
    any("envoy.config.core.v3.Metadata", { filter_metadata: { a: { b: "CANARY" } } }),
    any("acme.Unknown", { value: "Q0FOQVJZ" }),
  ];
  for (const typed_config of insides) {
    const bytes = bytesOf(provider, { provider_name: "p", typed_config });
    const text = canonicalJson(toJson(registry, provider, bytes));
    expect(text).toContain(REDACTED);
    expect(text).not.toMatch(/CANARY|4711|Q0FOQVJZ/);
  }
  const auth = "envoy.extensions.filters.http.basic_auth.v3.BasicAuth";
  const inline = bytesOf(auth, { users: { inline_string: "user:{SHA}CANARY" } });
  expect(toJson(registry, auth, inline)).toEqual({ users: { inline_string: REDACTED } });
});

Deno.test("toJson() shows an Any whose type is unknown or whose bytes are broken as base64", () => {
  const codec = registry.codec("google.protobuf.Any");
  const show = (type_url: string, value: number[]) =>
    toJson(registry, "google.protobuf.Any", codec.encode({ type_url, value: new Uint8Array(value) }));
  expect(show("type.googleapis.com/acme.X", [1, 2])).toEqual({ "@type": "type.googleapis.com/acme.X", value: "AQI=" });
  const cluster = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  expect(show(cluster, [10, 200])).toEqual({ "@type": cluster, value: "Csg=" });
  expect(show("", [])).toEqual({});
});

Deno.test("toJson() writes floats, 64-bit integers, enums and times as proto3 JSON does", () => {
  const bytes = registry.codec("envoy.config.core.v3.Metadata").encode({});
  expect(toJson(registry, "envoy.config.core.v3.Metadata", bytes)).toEqual({});
  const show = (type: string, message: Record<string, unknown>) =>
    toJson(registry, type, registry.codec(type).encode(message));
  expect(show("google.protobuf.FloatValue", { value: Math.fround(0.1) })).toBe(0.1);
  expect(show("google.protobuf.DoubleValue", { value: NaN })).toBe("NaN");
  expect(show("google.protobuf.Int64Value", { value: -5n })).toBe("-5");
  expect(show("google.protobuf.UInt64Value", {})).toBe("0");
  expect(show("google.protobuf.Duration", { seconds: -1, nanos: -500_000_000 })).toBe("-1.500s");
  expect(show("google.protobuf.Duration", { nanos: -1 })).toBe("-0.000000001s");
  expect(show("google.protobuf.Timestamp", { seconds: -1 })).toBe("1969-12-31T23:59:59Z");
  expect(show("envoy.config.cluster.v3.Cluster", { lb_policy: 99, type: 3 })).toEqual({ type: "EDS", lb_policy: 99 });
});

Deno.test("toJson() keeps a map key of any name", () => {
  const value = JSON.parse('{"filter_metadata": {"__proto__": {"__proto__": 1}}}');
  const type = "envoy.config.core.v3.Metadata";
  expect(JSON.stringify(toJson(registry, type, bytesOf(type, value)))).toBe(JSON.stringify(value));
});
