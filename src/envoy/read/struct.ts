import type { Plain } from "../schema/mod.ts";
import { BAD, type Spot } from "./context.ts";
import { isObject } from "./is_object.ts";
import type { JsonReader } from "./json_reader.ts";
import { notUnicode } from "./scalar.ts";

/** A google.protobuf.Struct from a JSON object. */
export function readStruct(reader: JsonReader, spot: Spot): Plain | typeof BAD {
  const { value } = spot;
  if (!isObject(value)) return reader.context.wrongType(spot, "an object");
  return reader.deeperStruct(spot, () => {
    const fields = Object.create(null) as Plain; // without a prototype "__proto__" is a key like any other
    let complete = true;
    for (const segment of Object.keys(value)) {
      const at: Spot = { value: value[segment], up: spot, segment };
      if (at.value === undefined) continue;
      const read = segment.isWellFormed() ? readValue(reader, at) : notUnicode(reader.context, at);
      if (read === BAD) complete = false;
      else fields[segment] = read;
    }
    return complete ? { fields } : BAD;
  });
}

/** A google.protobuf.ListValue from a JSON array. */
export function readListValue(reader: JsonReader, spot: Spot): Plain | typeof BAD {
  const { value } = spot;
  if (!Array.isArray(value)) return reader.context.wrongType(spot, "a list");
  return reader.deeperStruct(spot, () => {
    const values = value.map((item: unknown, i) => readValue(reader, { value: item, up: spot, segment: i }));
    return values.includes(BAD) ? BAD : { values };
  });
}

/** A google.protobuf.Value from any JSON value. */
export function readValue(reader: JsonReader, spot: Spot): Plain | typeof BAD {
  const { value } = spot;
  if (value === null) return { null_value: 0 };
  switch (typeof value) {
    case "boolean":
      return { bool_value: value };
    case "string":
      return value.isWellFormed() ? { string_value: value } : notUnicode(reader.context, spot);
    case "number":
      if (Number.isFinite(value)) return { number_value: value };
      return reader.context.error(spot, "a number here must be finite", { rule: "out-of-range", show: true });
    case "bigint":
      return { number_value: Number(value) };
    default: {
      const isList = Array.isArray(value);
      const inner = isList ? readListValue(reader, spot) : readStruct(reader, spot);
      if (inner === BAD) return BAD;
      return isList ? { list_value: inner } : { struct_value: inner };
    }
  }
}
