import type { Json } from "../../base/mod.ts";
import type { Registry } from "../registry.ts";
import { type FieldDescriptor, KIND, type MessageDescriptor, type Plain } from "../schema/mod.ts";
import { typeNameOf } from "../read/type_name.ts";
import { durationText, timestampText } from "./time_text.ts";

/** Options of {@linkcode toJson}. */
export interface ToJsonOptions {
  /** Whether fields marked sensitive are shown as they are; false when absent. */
  readonly reveal?: boolean;
}

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

type JsonObject = { [key: string]: Json };

const EMPTY = "google.protobuf.Empty";

/**
 * A message as proto3 JSON, with .proto field names as people write them in Envoy configs, fields in the order of their
 * numbers, maps in the order of their keys and the content of each Any spelt out. Below fields that Envoy's API marks
 * sensitive, texts and bytes become `[redacted]` and other scalars are left out, as in Envoy's own config dump.
 *
 * @throws {ChanceryError} `not-found` when the registry has no such message, `invalid-input` when the bytes are malformed
 */
export function toJson(registry: Registry, message: string, bytes: Uint8Array, options: ToJsonOptions = {}): Json {
  const codec = registry.codec(message);
  return new JsonWriter(registry, options.reveal === true).message(codec.descriptor, codec.decode(bytes));
}

class JsonWriter {
  readonly #registry: Registry;
  readonly #reveal: boolean;
  #hidden = false;

  constructor(registry: Registry, reveal: boolean) {
    this.#registry = registry;
    this.#reveal = reveal;
  }

  message(descriptor: MessageDescriptor, message: Plain): Json {
    const special = this.#wellKnown(descriptor, message);
    return special === undefined ? this.#members(descriptor, message) : special;
  }

  /** Messages whose JSON is not an object of their fields; undefined for all others. */
  #wellKnown(descriptor: MessageDescriptor, message: Plain): Json | undefined {
    switch (descriptor.name) {
      case "google.protobuf.Any":
        return this.#any(message);
      case "google.protobuf.Duration":
        return this.#hidden ? REDACTED : durationText(message);
      case "google.protobuf.Timestamp":
        return this.#hidden ? REDACTED : timestampText(message);
      case "google.protobuf.FieldMask":
        return (message["paths"] as string[]).map(camelPath).join(","); // repeated string
      case "google.protobuf.Struct":
        return this.#struct(message);
      case "google.protobuf.ListValue":
        return (message["values"] as Plain[]).map((value) => this.#value(value)); // repeated Value
      case "google.protobuf.Value":
        return this.#value(message);
    }
    const field = /^google\.protobuf\.\w+Value$/.test(descriptor.name) ? descriptor.byNumber.get(1) : undefined;
    return field && descriptor.fields.length === 1 ? this.#single(field, message[field.name]) ?? REDACTED : undefined;
  }

  #members(descriptor: MessageDescriptor, message: Plain): JsonObject {
    const out: JsonObject = {};
    for (const field of descriptor.fields) {
      if (!Object.hasOwn(message, field.name)) continue;
      const outer = this.#hidden;
      this.#hidden ||= field.sensitive && !this.#reveal;
      const json = this.#field(field, message[field.name]);
      this.#hidden = outer;
      if (json !== undefined) out[field.name] = json;
    }
    return out;
  }

  #field(field: FieldDescriptor, value: unknown): Json | undefined {
    if (field.map) {
      const map = value as Plain; // the codec's form of maps
      const out: JsonObject = {};
      for (const key of Object.keys(map).sort()) setOwn(out, key, this.#single(field.map.value, map[key]) ?? REDACTED);
      return out;
    }
    if (!field.repeated) return this.#single(field, value);
    return (value as readonly unknown[]).map((item) => this.#single(field, item) ?? REDACTED); // the codec's form of lists
  }

  /** One value; undefined for a scalar that must not be seen and has no room for a word in its place. */
  #single(field: FieldDescriptor, value: unknown): Json | undefined {
    if (field.kind === KIND.MESSAGE) return this.message(field.message, value as Plain); // the codec's form
    if (this.#hidden) return field.kind === KIND.STRING || field.kind === KIND.BYTES ? REDACTED : undefined;
    if (field.kind === KIND.ENUM) {
      if (field.typeName === "google.protobuf.NullValue") return null;
      return field.enum.byNumber.get(value as number)?.name ?? (value as number); // the codec's form of enums
    }
    if (value instanceof Uint8Array) return value.toBase64();
    if (field.kind === KIND.FLOAT || field.kind === KIND.DOUBLE) {
      return floatJson(value as number, field.kind === KIND.FLOAT);
    }
    return isWide(field.kind) ? String(value) : value as Json; // boolean, string or number
  }

  #any(message: Plain): Json {
    const url = String(message["type_url"]);
    const bytes = message["value"] as Uint8Array; // bytes without presence: always there
    if (url === "" && bytes.length === 0) return {};
    const descriptor = this.#registry.message(typeNameOf(url));
    const content = descriptor && this.#decode(descriptor, bytes);
    if (!descriptor || !content) return { "@type": url, value: this.#hidden ? REDACTED : bytes.toBase64() };
    const special = this.#wellKnown(descriptor, content);
    if (special !== undefined) return { "@type": url, value: special };
    return descriptor.name === EMPTY ? { "@type": url } : { "@type": url, ...this.#members(descriptor, content) };
  }

  /** The content of an Any, or nothing when it is not what its type says: it is shown as bytes then. */
  #decode(descriptor: MessageDescriptor, bytes: Uint8Array): Plain | undefined {
    try {
      return this.#registry.codec(descriptor.name).decode(bytes);
    } catch {
      return undefined;
    }
  }

  #struct(message: Plain): JsonObject {
    const fields = message["fields"] as Readonly<Record<string, Plain>>; // map<string, Value>
    const out: JsonObject = {};
    for (const key of Object.keys(fields).sort()) setOwn(out, key, this.#value(fields[key]!));
    return out;
  }

  #value(value: Plain): Json {
    if (value["struct_value"] !== undefined) return this.#struct(value["struct_value"] as Plain); // a Struct
    const list = value["list_value"] as { values: Plain[] } | undefined; // a ListValue
    if (list) return list.values.map((item) => this.#value(item));
    const scalar = value["string_value"] ?? value["bool_value"] ?? value["number_value"] ?? null;
    if (this.#hidden && scalar !== null) return REDACTED;
    return typeof scalar === "number" ? floatJson(scalar, false) : scalar as Json; // text, truth value or null
  }
}

/** Sets a key of whatever name: assigning `__proto__` would not. */
function setOwn(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function isWide(kind: number): boolean {
  return kind === KIND.INT64 || kind === KIND.UINT64 || kind === KIND.SINT64 || kind === KIND.FIXED64 ||
    kind === KIND.SFIXED64;
}

/** A float as the shortest decimal that is the same float again: 0.1, not 0.10000000149011612. */
function floatJson(value: number, single: boolean): Json {
  if (!Number.isFinite(value)) return String(value);
  if (!single) return value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

function camelPath(path: string): string {
  return path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
