import { type MessageDescriptor, type Plain } from "../schema/mod.ts";
import { BAD, type Path } from "./context.ts";
import { isObject } from "./is_object.ts";
import type { JsonReader } from "./json_reader.ts";

interface Given {
  readonly value: unknown;
  readonly path: Path | undefined;
}

/** A google.protobuf.Struct from a JSON object. */
export function readStruct(reader: JsonReader, _: MessageDescriptor, { value, path }: Given): Plain | typeof BAD {
  if (!isObject(value)) {
    return reader.context.error(path, `expected an object, found ${reader.context.describe(value)}`, {
      rule: "wrong-type",
      value,
    });
  }
  return object(reader, value, path);
}

/** A google.protobuf.ListValue from a JSON array. */
export function readListValue(reader: JsonReader, _: MessageDescriptor, { value, path }: Given): Plain | typeof BAD {
  if (Array.isArray(value)) return list(reader, value, path);
  return reader.context.error(path, `expected a list, found ${reader.context.describe(value)}`, {
    rule: "wrong-type",
    value,
  });
}

/** A google.protobuf.Value from any JSON value. */
export function readValue(reader: JsonReader, _: MessageDescriptor, { value, path }: Given): Plain | typeof BAD {
  return any(reader, value, path);
}

function any(reader: JsonReader, value: unknown, path: Path | undefined): Plain | typeof BAD {
  switch (typeof value) {
    case "boolean":
      return { bool_value: value };
    case "string":
      if (value.isWellFormed()) return { string_value: value };
      return reader.context.error(path, "expected Unicode text, found half a surrogate pair", { rule: "wrong-type" });
    case "number":
      if (Number.isFinite(value)) return { number_value: value };
      return reader.context.error(path, "a number here must be finite", { rule: "out-of-range", value });
    case "bigint":
      return { number_value: Number(value) };
    case "object":
      break;
    default:
      return reader.context.error(path, `expected a JSON value, found ${typeof value}`, { rule: "wrong-type" });
  }
  if (value === null) return { null_value: 0 };
  const inner = Array.isArray(value)
    ? list(reader, value, path)
    : object(reader, value as Record<string, unknown>, path); // an object
  if (inner === BAD) return BAD;
  return Array.isArray(value) ? { list_value: inner } : { struct_value: inner };
}

function list(reader: JsonReader, value: readonly unknown[], path: Path | undefined): Plain | typeof BAD {
  return reader.nested(path, () => {
    const values = value.map((item, i) => any(reader, item, { up: path, segment: i }));
    return values.includes(BAD) ? BAD : { values };
  });
}

function object(reader: JsonReader, value: Record<string, unknown>, path: Path | undefined): Plain | typeof BAD {
  return reader.nested(path, () => {
    const fields = Object.create(null) as Plain; // without a prototype "__proto__" is a key like any other
    let complete = true;
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      const at: Path = { up: path, segment: key };
      const read = key.isWellFormed()
        ? any(reader, value[key], at)
        : reader.context.error(at, "expected Unicode text as key", { rule: "wrong-type" });
      if (read === BAD) complete = false;
      else fields[key] = read;
    }
    return complete ? { fields } : BAD;
  });
}
