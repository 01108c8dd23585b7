import type { MessageDescriptor, Plain } from "../schema/mod.ts";
import { BAD, type Spot } from "./context.ts";
import type { JsonReader } from "./json_reader.ts";
import { readListValue, readStruct, readValue } from "./struct.ts";
import { readDuration, readTimestamp } from "./time.ts";

type Reading = (reader: JsonReader, spot: Spot, descriptor: MessageDescriptor) => Plain | typeof BAD;

const WRAPPERS = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"];

/** Messages whose JSON is not an object of their fields. google.protobuf.Any is not among them: it has a file of its own. */
export const WELL_KNOWN: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ["google.protobuf.Duration", readDuration],
  ["google.protobuf.Timestamp", readTimestamp],
  ["google.protobuf.FieldMask", readFieldMask],
  ["google.protobuf.Struct", readStruct],
  ["google.protobuf.Value", readValue],
  ["google.protobuf.ListValue", readListValue],
  ...WRAPPERS.map((name) => [`google.protobuf.${name}Value`, readWrapper] as const),
]);

function readWrapper(reader: JsonReader, spot: Spot, descriptor: MessageDescriptor): Plain | typeof BAD {
  const field = descriptor.byNumber.get(1);
  const value = field ? reader.single(field, spot) : BAD;
  return value === BAD ? BAD : { value };
}

function readFieldMask({ context }: JsonReader, spot: Spot): Plain | typeof BAD {
  const { value } = spot;
  if (typeof value !== "string" || !/^[A-Za-z\d.,]*$/.test(value)) {
    return context.wrongType(spot, 'a field mask such as "user.displayName"');
  }
  return { paths: value === "" ? [] : value.split(",").map((p) => p.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)) };
}
