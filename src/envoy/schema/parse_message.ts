import { WIRE, WireReader } from "../wire/reader.ts";
import {
  type Deprecation,
  type EnumDescriptor,
  type FieldDescriptor,
  KIND,
  type MapDescriptor,
  type MessageDescriptor,
  type OneofDescriptor,
  type Plain,
} from "./descriptor.ts";
import { type Features, readFeatures } from "./features.ts";
import type { IndexEntry } from "./index.ts";
import { readDeprecation } from "./parse_deprecation.ts";

/** How a field finds its type, and a message whether a type is a map entry. Both throw when it is missing. */
export interface Linker {
  message(name: string): MessageDescriptor;
  enum(name: string): EnumDescriptor;
  isMapEntry(name: string): boolean;
}

// Field numbers of google/protobuf/descriptor.proto
const MESSAGE = { FIELD: 2, OPTIONS: 7, ONEOF: 8 };
const MESSAGE_OPTIONS = { DEPRECATED: 3 };
const FIELD = {
  NAME: 1,
  NUMBER: 3,
  LABEL: 4,
  KIND: 5,
  TYPE_NAME: 6,
  OPTIONS: 8,
  ONEOF: 9,
  JSON_NAME: 10,
  OPTIONAL: 17,
};
const FIELD_OPTIONS = { PACKED: 2, FEATURES: 21 };
const ONEOF = { NAME: 1, OPTIONS: 2 };
const LABEL = { REQUIRED: 2, REPEATED: 3 };
// Extensions: validate/validate.proto and udpa/annotations/sensitive.proto
const VALIDATE = { DISABLED: 1071, IGNORED: 1072, ONEOF_REQUIRED: 1071, FIELD_RULES: 1071 };
const SENSITIVE = 76569463;

/** Parses a DescriptorProto. */
export function parseMessage(entry: IndexEntry, linker: Linker): MessageDescriptor {
  const oneofs: OneofDescriptor[] = [];
  const raw: RawField[] = [];
  let unchecked = false;
  let deprecated = false;
  const reader = new WireReader(entry.bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if ((tag & 7) !== WIRE.LENGTH) reader.skipField(tag);
    else if (tag >>> 3 === MESSAGE.FIELD) raw.push(parseField(reader.bytes()));
    else if (tag >>> 3 === MESSAGE.ONEOF) oneofs.push(parseOneof(reader.bytes()));
    else if (tag >>> 3 === MESSAGE.OPTIONS) {
      forEachVarint(reader.bytes(), (field, value) => {
        if (field === VALIDATE.DISABLED || field === VALIDATE.IGNORED) unchecked ||= value !== 0;
        if (field === MESSAGE_OPTIONS.DEPRECATED) deprecated = value !== 0;
      });
    } else reader.skipField(tag);
  }
  const fields = raw.map((r) => new Field(r, { linker, features: entry.features, oneof: realOneof(r, oneofs) }))
    .sort((a, b) => a.number - b.number);
  for (const field of fields) field.oneof?.fields.push(field);
  return {
    name: entry.name,
    file: entry.file.name,
    mapEntry: entry.mapEntry,
    fields,
    byNumber: new Map(fields.map((f) => [f.number, f])),
    byName: new Map(fields.flatMap((f) => [[f.jsonName, f], [f.name, f]] as const)),
    oneofs: oneofs.filter((o) => o.fields.length > 0),
    unchecked,
    deprecated,
    defaults: defaultsOf(fields),
  };
}

function realOneof(raw: RawField, oneofs: readonly OneofDescriptor[]): OneofDescriptor | undefined {
  return raw.optional ? undefined : oneofs[raw.oneofIndex];
}

interface RawField {
  name: string;
  jsonName: string;
  number: number;
  kind: number;
  label: number;
  typeName: string;
  oneofIndex: number;
  optional: boolean;
  packed?: boolean;
  features?: Features;
  sensitive: boolean;
  deprecation: Deprecation;
  rules?: Uint8Array;
}

function parseField(bytes: Uint8Array): RawField {
  const raw: RawField = {
    name: "",
    jsonName: "",
    number: 0,
    kind: 0,
    label: 0,
    typeName: "",
    oneofIndex: -1,
    optional: false,
    sensitive: false,
    deprecation: readDeprecation(new Uint8Array()),
  };
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    switch (tag) {
      case FIELD.NAME << 3 | WIRE.LENGTH:
        raw.name = reader.stringVerify();
        break;
      case FIELD.JSON_NAME << 3 | WIRE.LENGTH:
        raw.jsonName = reader.stringVerify();
        break;
      case FIELD.TYPE_NAME << 3 | WIRE.LENGTH:
        raw.typeName = reader.stringVerify().slice(1); // descriptors write full names with a leading dot
        break;
      case FIELD.NUMBER << 3:
        raw.number = reader.uint32();
        break;
      case FIELD.LABEL << 3:
        raw.label = reader.uint32();
        break;
      case FIELD.KIND << 3:
        raw.kind = reader.uint32();
        break;
      case FIELD.ONEOF << 3:
        raw.oneofIndex = reader.uint32();
        break;
      case FIELD.OPTIONAL << 3:
        raw.optional = reader.bool();
        break;
      case FIELD.OPTIONS << 3 | WIRE.LENGTH:
        parseFieldOptions(reader.bytes(), raw);
        break;
      default:
        reader.skipField(tag);
    }
  }
  raw.jsonName ||= raw.name.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
  return raw;
}

function parseFieldOptions(bytes: Uint8Array, raw: RawField): void {
  raw.deprecation = readDeprecation(bytes);
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === FIELD_OPTIONS.PACKED << 3) raw.packed = reader.bool();
    else if (tag === (FIELD_OPTIONS.FEATURES << 3 | WIRE.LENGTH)) raw.features = readFeatures(reader.bytes());
    else if (tag === (VALIDATE.FIELD_RULES << 3 | WIRE.LENGTH)) raw.rules = reader.bytes();
    else if (tag === SENSITIVE << 3) raw.sensitive = reader.bool();
    else reader.skipField(tag);
  }
}

function parseOneof(bytes: Uint8Array): OneofDescriptor {
  let name = "";
  let required = false;
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (ONEOF.NAME << 3 | WIRE.LENGTH)) name = reader.stringVerify();
    else if (tag === (ONEOF.OPTIONS << 3 | WIRE.LENGTH)) {
      forEachVarint(reader.bytes(), (field, value) => {
        if (field === VALIDATE.ONEOF_REQUIRED) required = value !== 0;
      });
    } else reader.skipField(tag);
  }
  return { name, required, fields: [] };
}

function forEachVarint(bytes: Uint8Array, visit: (field: number, value: number) => void): void {
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if ((tag & 7) === WIRE.VARINT) visit(tag >>> 3, reader.uint32());
    else reader.skipField(tag);
  }
}

/** Finds its type when first asked, so that a message can be parsed without all that it can hold. */
class Field implements FieldDescriptor {
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly kind: number;
  readonly repeated: boolean;
  readonly required: boolean;
  readonly typeName: string;
  readonly packed: boolean;
  readonly presence: boolean;
  readonly oneof: OneofDescriptor | undefined;
  readonly map: MapDescriptor | undefined;
  readonly deprecation: Deprecation;
  readonly sensitive: boolean;
  readonly rules: Uint8Array | undefined;
  readonly #linker: Linker;
  #message: MessageDescriptor | undefined;
  #enum: EnumDescriptor | undefined;

  constructor(raw: RawField, owner: { linker: Linker; features: Features; oneof: OneofDescriptor | undefined }) {
    const features = { ...owner.features, ...raw.features };
    this.name = raw.name;
    this.jsonName = raw.jsonName;
    this.number = raw.number;
    this.kind = raw.kind;
    this.repeated = raw.label === LABEL.REPEATED;
    this.required = raw.label === LABEL.REQUIRED;
    this.typeName = raw.typeName;
    this.packed = this.repeated && isPackable(raw.kind) && (raw.packed ?? features.packed ?? false);
    this.oneof = owner.oneof;
    this.presence = !this.repeated &&
      (raw.kind === KIND.MESSAGE || raw.oneofIndex >= 0 || features.explicitPresence === true);
    this.deprecation = raw.deprecation;
    this.sensitive = raw.sensitive;
    this.rules = raw.rules;
    this.#linker = owner.linker;
    if (this.repeated && raw.kind === KIND.MESSAGE && owner.linker.isMapEntry(raw.typeName)) {
      const [key, value] = this.message.fields;
      if (key && value) this.map = { key, value };
    }
  }

  get message(): MessageDescriptor {
    return this.#message ??= this.#linker.message(this.typeName);
  }

  get enum(): EnumDescriptor {
    return this.#enum ??= this.#linker.enum(this.typeName);
  }
}

function isPackable(kind: number): boolean {
  return kind !== KIND.STRING && kind !== KIND.BYTES && kind !== KIND.MESSAGE && kind !== KIND.GROUP;
}

const EMPTY_LIST = Object.freeze([]);
const EMPTY_MAP = Object.freeze(Object.create(null) as Plain); // null prototypes have no type
const EMPTY_BYTES = new Uint8Array();

function defaultsOf(fields: readonly FieldDescriptor[]): Plain {
  const defaults: Plain = {};
  for (const field of fields) {
    if (field.map) defaults[field.name] = EMPTY_MAP;
    else if (field.repeated) defaults[field.name] = EMPTY_LIST;
    else if (!field.presence) defaults[field.name] = zeroOf(field.kind);
  }
  return defaults; // not frozen: a property could not be set on an object that inherits it
}

/** What a scalar or enum without presence is when absent. */
export function zeroOf(kind: number): unknown {
  if (kind === KIND.STRING) return "";
  if (kind === KIND.BYTES) return EMPTY_BYTES;
  return kind === KIND.BOOL ? false : 0;
}
