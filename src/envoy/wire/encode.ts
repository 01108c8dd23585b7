import { Writer } from "protobufjs/minimal.js";
import { ChanceryError } from "../../base/mod.ts";
import { type FieldDescriptor, KIND, type MessageDescriptor, type Plain } from "../schema/mod.ts";
import { type Integer, toLong } from "./integer.ts";

/** The wire type of each KIND, by index. */
const WIRE_OF_KIND = [0, 1, 5, 0, 0, 0, 1, 5, 0, 2, 3, 2, 2, 0, 0, 5, 1, 0, 0];

const KEEP_AT_MOST = 1 << 20;

// One for all, since encoding never calls out, so that nobody can come in between. Not Writer.create(): that one gives out
// Node's Buffers, whose slice() is a view and which equal no Uint8Array.
let writer = new Writer();

/**
 * Encodes a message: fields by number, map entries by key, zeros of fields without presence left out. Equal messages
 * give equal bytes, whatever the order of their keys.
 *
 * @throws {TypeError} when a value is not of its field's type.
 */
export function encodeMessage(descriptor: MessageDescriptor, message: Plain): Uint8Array {
  try {
    writeMessage(descriptor, message);
    const bytes = writer.finish(true).slice();
    if (bytes.length > KEEP_AT_MOST) writer = new Writer(); // one giant message must not hold its memory for ever
    else writer.reset();
    return bytes;
  } catch (thrown) {
    writer = new Writer(); // the old one may have messages open
    throw thrown;
  }
}

function writeMessage(descriptor: MessageDescriptor, message: Plain): void {
  for (const field of descriptor.fields) {
    const value = message[field.name];
    if (value === undefined || value === null) continue;
    if (field.map) writeMap(field, value as Plain); // the caller's promise: the shapes are those of the reader
    else if (field.repeated) writeList(field, value as readonly unknown[]);
    else if (field.presence ? Object.hasOwn(message, field.name) : !isZero(value)) {
      writer.uint32((field.number << 3 | WIRE_OF_KIND[field.kind]!) >>> 0);
      writeSingle(field, value);
    }
  }
}

function isZero(value: unknown): boolean {
  return value === "" || value === false || Object.is(value, 0) || value === 0n ||
    value instanceof Uint8Array && value.length === 0;
}

function writeList(field: FieldDescriptor, list: readonly unknown[]): void {
  if (list.length === 0) return;
  if (field.packed) {
    writer.uint32((field.number << 3 | 2) >>> 0);
    writer.fork();
    for (const item of list) writeSingle(field, item);
    writer.ldelim();
    return;
  }
  const tag = (field.number << 3 | WIRE_OF_KIND[field.kind]!) >>> 0;
  for (const item of list) {
    writer.uint32(tag);
    writeSingle(field, item);
  }
}

function writeMap(field: FieldDescriptor, map: Plain): void {
  if (!field.map) return;
  const { key, value } = field.map;
  for (const name of sortedKeys(key.kind, map)) {
    writer.uint32((field.number << 3 | 2) >>> 0);
    writer.fork();
    writer.uint32(1 << 3 | WIRE_OF_KIND[key.kind]!);
    writeSingle(key, keyOf(key.kind, name));
    writer.uint32(2 << 3 | WIRE_OF_KIND[value.kind]!);
    writeSingle(value, map[name]);
    writer.ldelim();
  }
}

/** Texts by code point (as their UTF-8 bytes compare), numbers by size, false before true. */
function sortedKeys(kind: number, map: Plain): string[] {
  const keys = Object.keys(map);
  if (keys.length < 2) return keys;
  if (kind === KIND.STRING || kind === KIND.BOOL) return keys.sort(byCodePoint);
  return keys.sort((a, b) => {
    const difference = BigInt(a) - BigInt(b);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
}

function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Code units order as code points do, but for surrogates, which stand for what lies above all other units.
    const surrogateX = x >= 0xd800 && x <= 0xdfff;
    const surrogateY = y >= 0xd800 && y <= 0xdfff;
    return surrogateX === surrogateY ? x - y : surrogateX ? 1 : -1;
  }
  return a.length - b.length;
}

function keyOf(kind: number, name: string): unknown {
  if (kind === KIND.STRING) return name;
  if (kind === KIND.BOOL) return name === "true";
  return is64(kind) ? BigInt(name) : Number(name);
}

function is64(kind: number): boolean {
  return kind === KIND.INT64 || kind === KIND.UINT64 || kind === KIND.FIXED64 || kind === KIND.SFIXED64 ||
    kind === KIND.SINT64;
}

function writeSingle(field: FieldDescriptor, value: unknown): void {
  if (field.kind === KIND.MESSAGE) {
    if (typeof value !== "object" || value === null) throw mismatch(field, value);
    writer.fork();
    writeMessage(field.message, value as Plain); // an object with the fields of that message
    writer.ldelim();
  } else if (field.kind === KIND.STRING) {
    if (typeof value !== "string") throw mismatch(field, value);
    writer.string(value.toWellFormed()); // the library would write half a surrogate as it is, which is no UTF-8
  } else if (field.kind === KIND.BYTES) {
    if (!(value instanceof Uint8Array)) throw mismatch(field, value);
    writer.bytes(value);
  } else if (field.kind === KIND.BOOL) {
    if (typeof value !== "boolean") throw mismatch(field, value);
    writer.bool(value);
  } else if (is64(field.kind)) {
    if (typeof value !== "bigint" && !Number.isInteger(value)) throw mismatch(field, value);
    writeWide(field.kind, value as Integer); // checked above
  } else {
    if (typeof value !== "number") throw mismatch(field, value);
    writeNumber(field.kind, value);
  }
}

function writeWide(kind: number, value: Integer): void {
  if (kind === KIND.INT64 || kind === KIND.UINT64) writer.int64(toLong(value));
  else if (kind === KIND.SINT64) writer.sint64(toLong(value));
  else writer.fixed64(toLong(value));
}

function writeNumber(kind: number, value: number): Writer {
  switch (kind) {
    case KIND.UINT32:
      return writer.uint32(value);
    case KIND.INT32:
    case KIND.ENUM:
      return writer.int32(value);
    case KIND.DOUBLE:
      return writer.double(value);
    case KIND.FLOAT:
      return writer.float(value);
    case KIND.SINT32:
      return writer.sint32(value);
    case KIND.FIXED32:
    case KIND.SFIXED32:
      return writer.fixed32(value);
    default:
      throw new ChanceryError("internal", `Cannot encode a field of kind ${kind}`);
  }
}

function mismatch(field: FieldDescriptor, value: unknown): TypeError {
  return new TypeError(`Cannot encode field "${field.name}": a ${typeof value} does not fit`); // never the value itself
}
