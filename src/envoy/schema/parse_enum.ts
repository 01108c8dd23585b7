import { WIRE, WireReader } from "../wire/reader.ts";
import type { EnumDescriptor, EnumValue, MethodDescriptor, ServiceDescriptor } from "./descriptor.ts";
import { readFeatures } from "./features.ts";
import type { IndexEntry } from "./index.ts";
import { readDeprecation } from "./parse_deprecation.ts";

// Field numbers of google/protobuf/descriptor.proto
const ENUM = { VALUE: 2, OPTIONS: 3 };
const ENUM_OPTIONS = { FEATURES: 7 };
const VALUE = { NAME: 1, NUMBER: 2, OPTIONS: 3 };
const SERVICE = { METHOD: 2 };
const METHOD = { NAME: 1, INPUT: 2, OUTPUT: 3, CLIENT_STREAMING: 5, SERVER_STREAMING: 6 };

/** Parses an EnumDescriptorProto. */
export function parseEnum(entry: IndexEntry): EnumDescriptor {
  const values: EnumValue[] = [];
  let open = entry.features.openEnums === true;
  const reader = new WireReader(entry.bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (ENUM.VALUE << 3 | WIRE.LENGTH)) values.push(parseValue(reader.bytes()));
    else if (tag === (ENUM.OPTIONS << 3 | WIRE.LENGTH)) {
      const options = new WireReader(reader.bytes());
      while (options.more()) {
        const inner = options.tag();
        if (inner === (ENUM_OPTIONS.FEATURES << 3 | WIRE.LENGTH)) {
          open = readFeatures(options.bytes()).openEnums ?? open;
        } else options.skipField(inner);
      }
    } else reader.skipField(tag);
  }
  return {
    name: entry.name,
    byName: new Map(values.map((v) => [v.name, v])),
    byNumber: new Map(values.toReversed().map((v) => [v.number, v])), // with aliases the first name wins
    open,
  };
}

function parseValue(bytes: Uint8Array): EnumValue {
  let name = "";
  let number = 0;
  let options = new Uint8Array();
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (VALUE.NAME << 3 | WIRE.LENGTH)) name = reader.stringVerify();
    else if (tag === VALUE.NUMBER << 3) number = reader.uint32() | 0;
    else if (tag === (VALUE.OPTIONS << 3 | WIRE.LENGTH)) options = new Uint8Array(reader.bytes());
    else reader.skipField(tag);
  }
  return { name, number, deprecation: readDeprecation(options, "value") };
}

/** Parses a ServiceDescriptorProto. */
export function parseService(entry: IndexEntry): ServiceDescriptor {
  const methods: MethodDescriptor[] = [];
  const reader = new WireReader(entry.bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (SERVICE.METHOD << 3 | WIRE.LENGTH)) methods.push(parseMethod(reader.bytes()));
    else reader.skipField(tag);
  }
  return { name: entry.name, methods };
}

function parseMethod(bytes: Uint8Array): MethodDescriptor {
  let name = "";
  let input = "";
  let output = "";
  let clientStreaming = false;
  let serverStreaming = false;
  const reader = new WireReader(bytes);
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (METHOD.NAME << 3 | WIRE.LENGTH)) name = reader.stringVerify();
    else if (tag === (METHOD.INPUT << 3 | WIRE.LENGTH)) input = reader.stringVerify().slice(1);
    else if (tag === (METHOD.OUTPUT << 3 | WIRE.LENGTH)) output = reader.stringVerify().slice(1);
    else if (tag === METHOD.CLIENT_STREAMING << 3) clientStreaming = reader.bool();
    else if (tag === METHOD.SERVER_STREAMING << 3) serverStreaming = reader.bool();
    else reader.skipField(tag);
  }
  return { name, input, output, clientStreaming, serverStreaming };
}
