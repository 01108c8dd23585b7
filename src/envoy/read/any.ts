import type { MessageDescriptor, Plain } from "../schema/mod.ts";
import { encodeMessage } from "../wire/encode.ts";
import { attachMessage } from "./any_message.ts";
import { BAD, type Spot } from "./context.ts";
import { isObject } from "./is_object.ts";
import type { JsonReader } from "./json_reader.ts";
import { fromBase64 } from "./scalar.ts";
import { similarType, typeNameOf } from "./type_name.ts";
import { WELL_KNOWN } from "./well_known.ts";

const ANY = "google.protobuf.Any";
const EMPTY = "google.protobuf.Empty";
const TYPED_STRUCTS = new Set(["xds.type.v3.TypedStruct", "udpa.type.v1.TypedStruct"]);

type Members = Record<string, unknown>;

/**
 * A google.protobuf.Any: an object whose `@type` names the message that its other members make up. A type that nobody
 * knows may still be served when its content is given as bytes; anything else could not be encoded.
 */
export function readAny(reader: JsonReader, spot: Spot): Plain | typeof BAD {
  const { context } = reader;
  if (!isObject(spot.value)) return context.wrongType(spot, 'an object with "@type"');
  const members = spot.value;
  const url = members["@type"];
  if (url === undefined) {
    if (Object.keys(members).length === 0) return {};
    return context.error(spot, 'an object here needs "@type"', { rule: "missing-type" });
  }
  const at: Spot = { value: url, up: spot, segment: "@type" };
  if (typeof url !== "string" || !/^[^/]+\/.*[^/]$/.test(url)) {
    return context.wrongType(at, 'a type URL such as "type.googleapis.com/envoy…"');
  }
  const name = typeNameOf(url);
  const descriptor = context.registry.message(name);
  if (!descriptor) return unknownType(reader, at, { members, url });
  const message = reader.apart(() => content(reader, spot, { descriptor, members }));
  if (message === BAD) return BAD;
  if (TYPED_STRUCTS.has(name)) checkTypedStruct(reader, spot, members);
  // Never sent, so there is no need to encode it; what was understood of it may still be looked at.
  if (context.failed) return attachMessage({ type_url: url }, { type: name, message });
  return attachMessage({ type_url: url, value: encodeMessage(descriptor, message) }, { type: name, message });
}

/** The message inside: members beside `@type`, or one member `value` when the type has a JSON form of its own. */
function content(
  reader: JsonReader,
  spot: Spot,
  { descriptor, members }: { descriptor: MessageDescriptor; members: Members },
): Plain | typeof BAD {
  const { context } = reader;
  const { name } = descriptor;
  if (name !== ANY && name !== EMPTY && !WELL_KNOWN.has(name)) {
    return reader.members(descriptor, spot, { members, except: "@type" });
  }
  for (const key of Object.keys(members)) {
    if (key === "@type" || key === "value") continue;
    const at: Spot = { value: members[key], up: spot, segment: key };
    context.error(at, `${name} in an Any has no field but "value"`, { rule: "unknown-field" });
  }
  const inner: Spot = { value: members["value"], up: spot, segment: "value" };
  if (inner.value !== undefined) return reader.deeper(inner, () => reader.message(descriptor, inner));
  return name === EMPTY ? {} : context.error(spot, `${name} in an Any needs "value"`, { rule: "missing-value" });
}

function unknownType(
  { context }: JsonReader,
  spot: Spot,
  { members, url }: { members: Members; url: string },
): Plain | typeof BAD {
  const name = typeNameOf(url);
  const suggestion = context.suggest(() => similarType(context.registry, name));
  const detail = { rule: "unknown-type", show: true, suggestion };
  const keys = Object.keys(members).filter((key) => key !== "@type" && members[key] !== undefined);
  const value = keys.length === 1 ? members["value"] : undefined;
  const bytes = typeof value === "string" ? fromBase64(value) : undefined;
  if (!bytes) return context.error(spot, `type "${name}" is not known`, detail);
  context.warn(spot, `type "${name}" is not known, its bytes are served unchecked`, detail);
  return { type_url: url, value: bytes };
}

/** Envoy turns the struct into the message it names when it loads the extension, so it is read as that, too. */
function checkTypedStruct(reader: JsonReader, spot: Spot, members: Members): void {
  const { context } = reader;
  const segment = members["type_url"] === undefined ? "typeUrl" : "type_url";
  const url = members[segment];
  if (typeof url !== "string" || url === "") return;
  const name = typeNameOf(url);
  const descriptor = context.registry.message(name);
  const inner: Spot = { value: members["value"] ?? {}, up: spot, segment: "value" };
  if (descriptor) reader.apart(() => reader.deeper(inner, () => reader.message(descriptor, inner)));
  else {
    context.warn({ value: url, up: spot, segment }, `type "${name}" is not known, its struct is served unchecked`, {
      rule: "unknown-type",
      show: true,
      suggestion: context.suggest(() => similarType(context.registry, name)),
    });
  }
}
