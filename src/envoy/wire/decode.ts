import { ChanceryError } from "../../base/mod.ts";
import { type FieldDescriptor, KIND, type MessageDescriptor, type Plain } from "../schema/mod.ts";
import { fromLong } from "./integer.ts";
import { reading, WIRE, WireReader } from "./reader.ts";

/** As in Envoy's own protobuf library; deeper messages could not be read there either. */
export const MAX_WIRE_DEPTH = 100;

const NO_MAP: Plain = {};

/** The wire type of each KIND, by index. */
const WIRE_OF_KIND = [0, 1, 5, 0, 0, 0, 1, 5, 0, 2, 3, 2, 2, 0, 0, 5, 1, 0, 0];

/**
 * Decodes a message; see {@linkcode Codec} for what comes out.
 *
 * @throws {ChanceryError} `invalid-input` when the bytes are malformed.
 */
export function decodeMessage(descriptor: MessageDescriptor, bytes: Uint8Array): Plain {
  return reading(() => decodeInto(descriptor, newMessage(descriptor), { reader: new WireReader(bytes), depth: 1 }));
}

/** An empty message whose absent fields without presence read as zero. */
export function newMessage(descriptor: MessageDescriptor): Plain {
  return Object.create(descriptor.defaults) as Plain; // the prototype is a Plain
}

interface Input {
  readonly reader: WireReader;
  readonly depth: number;
}

function decodeInto(descriptor: MessageDescriptor, out: Plain, input: Input): Plain {
  const { reader, depth } = input;
  if (depth > MAX_WIRE_DEPTH) {
    throw new ChanceryError(
      "invalid-input",
      `Cannot read protobuf bytes: more than ${MAX_WIRE_DEPTH} levels of messages`,
    );
  }
  while (reader.more()) {
    const tag = reader.tag();
    const field = descriptor.byNumber.get(tag >>> 3);
    if (!field || !decodeField(field, out, { reader, depth, tag })) reader.skipField(tag);
  }
  return out;
}

/** Reads one occurrence of a field; false when its wire type does not fit, so that it counts as unknown. */
function decodeField(field: FieldDescriptor, out: Plain, input: Input & { readonly tag: number }): boolean {
  const { reader, tag } = input;
  const wire = tag & 7;
  const expected = WIRE_OF_KIND[field.kind];
  if (field.map) {
    if (wire !== WIRE.LENGTH) return false;
    decodeMapEntry(field, out, input);
  } else if (field.repeated) {
    const list = own(out, field.name) as unknown[] ?? (out[field.name] = []); // only this function sets it
    if (wire === expected && field.kind !== KIND.GROUP) list.push(decodeSingle(field, undefined, input));
    else if (wire === WIRE.LENGTH && expected !== WIRE.LENGTH) {
      const end = reader.lengthEnd();
      const outer = reader.len;
      reader.len = end;
      while (reader.more()) list.push(decodeSingle(field, undefined, input));
      reader.len = outer;
    } else return false;
  } else {
    if (wire !== expected || field.kind === KIND.GROUP) return false;
    const before = own(out, field.name);
    if (field.oneof && before === undefined) { for (const other of field.oneof.fields) delete out[other.name]; }
    out[field.name] = decodeSingle(field, before, input);
  }
  return true;
}

function own(out: Plain, name: string): unknown {
  return Object.hasOwn(out, name) ? out[name] : undefined;
}

function decodeSingle(field: FieldDescriptor, before: unknown, { reader, depth }: Input): unknown {
  if (field.kind !== KIND.MESSAGE) return decodeScalar(field.kind, reader);
  const end = reader.lengthEnd();
  const outer = reader.len;
  reader.len = end;
  const into = before === undefined ? newMessage(field.message) : before as Plain; // a message that came twice is merged
  const message = decodeInto(field.message, into, { reader, depth: depth + 1 });
  reader.len = outer;
  return message;
}

function decodeMapEntry(field: FieldDescriptor, out: Plain, { reader, depth }: Input): void {
  const end = reader.lengthEnd();
  const outer = reader.len;
  reader.len = end;
  if (field.map?.key.kind === KIND.STRING && field.map.value.kind === KIND.STRING) {
    const map = own(out, field.name) as Plain ?? (out[field.name] = Object.create(null)); // only this file sets it
    decodeTextPair(reader, map);
    reader.len = outer;
    return;
  }
  const entry = decodeInto(field.message, newMessage(field.message), { reader, depth: depth + 1 });
  reader.len = outer;
  const { value } = field.map ?? { value: undefined };
  const map = own(out, field.name) as Plain ?? (out[field.name] = Object.create(null)); // only this function sets it
  map[String(entry["key"])] = entry["value"] ?? (value?.kind === KIND.MESSAGE ? newMessage(value.message) : NO_MAP);
}

/** An entry of a map from text to text, of which a request of a returning client has thousands: without a message in between. */
function decodeTextPair(reader: WireReader, map: Plain): void {
  let key = "";
  let value = "";
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (1 << 3 | WIRE.LENGTH)) key = reader.stringVerify();
    else if (tag === (2 << 3 | WIRE.LENGTH)) value = reader.stringVerify();
    else reader.skipField(tag);
  }
  map[key] = value;
}

function decodeScalar(kind: number, reader: WireReader): unknown {
  switch (kind) {
    case KIND.STRING:
      return reader.stringVerify();
    case KIND.BYTES:
      return reader.bytes();
    case KIND.BOOL:
      return reader.bool();
    case KIND.UINT32:
      return reader.uint32();
    case KIND.INT32:
    case KIND.ENUM:
      return reader.int32();
    case KIND.UINT64:
      return fromLong(reader.uint64());
    case KIND.INT64:
      return fromLong(reader.int64());
    case KIND.DOUBLE:
      return reader.double();
    case KIND.FLOAT:
      return reader.float();
    case KIND.SINT32:
      return reader.sint32();
    case KIND.SINT64:
      return fromLong(reader.sint64());
    case KIND.FIXED32:
      return reader.fixed32();
    case KIND.FIXED64:
      return fromLong(reader.fixed64());
    case KIND.SFIXED32:
      return reader.sfixed32();
    case KIND.SFIXED64:
      return fromLong(reader.sfixed64());
    default:
      throw new ChanceryError("internal", `Cannot decode a field of kind ${kind}`);
  }
}
