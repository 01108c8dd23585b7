import { type EnumDescriptor, type FieldDescriptor, KIND } from "../schema/mod.ts";
import { type Integer, narrow } from "../wire/reader.ts";
import { BAD, type Path, type ReadContext } from "./context.ts";
import { suggest } from "../../base/mod.ts";

/** JSON value → scalar or enum, as https://protobuf.dev/programming-guides/json/ says, or {@linkcode BAD}. */
export function readScalar(context: ReadContext, field: FieldDescriptor, value: unknown, path: Path): unknown {
  switch (field.kind) {
    case KIND.BOOL:
      if (typeof value === "boolean") return value;
      return wrongType(context, path, { wanted: "true or false", value });
    case KIND.STRING:
      return readString(context, value, path);
    case KIND.BYTES:
      return readBytes(context, value, path);
    case KIND.DOUBLE:
    case KIND.FLOAT:
      return readFloat(context, value, { path, single: field.kind === KIND.FLOAT });
    case KIND.ENUM:
      return readEnum(context, field.enum, value, path);
    default:
      return readInteger(context, value, { path, kind: field.kind });
  }
}

function wrongType(
  context: ReadContext,
  path: Path | undefined,
  { wanted, value, hint = "" }: { wanted: string; value: unknown; hint?: string },
): typeof BAD {
  return context.error(path, `expected ${wanted}, found ${context.describe(value)}${hint}`, {
    rule: "wrong-type",
    value,
  });
}

function readString(context: ReadContext, value: unknown, path: Path): string | typeof BAD {
  if (typeof value !== "string") {
    const hint = typeof value === "number" || typeof value === "boolean" ? " (put it in quotes)" : "";
    return wrongType(context, path, { wanted: "a string", value, hint });
  }
  if (value.isWellFormed()) return value;
  return context.error(path, "expected Unicode text, found half a surrogate pair", { rule: "wrong-type" });
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Standard or URL-safe base64, padded or not. */
export function readBytes(context: ReadContext, value: unknown, path: Path): Uint8Array | typeof BAD {
  if (typeof value !== "string") return wrongType(context, path, { wanted: "base64 text", value });
  const bytes = fromBase64(value);
  return bytes ?? context.error(path, "expected base64 text, found other characters or a wrong length", {
    rule: "wrong-type",
    value,
  });
}

/** The bytes, or undefined when the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const digits = text.replace(/=+$/, "");
  if (digits.length % 4 === 1 || (digits.length < text.length && text.length % 4 !== 0)) return undefined;
  return Uint8Array.fromBase64(digits.replaceAll("-", "+").replaceAll("_", "/"));
}

const MAX_FLOAT = 3.4028234663852886e38;
const DECIMAL = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;

function readFloat(
  context: ReadContext,
  value: unknown,
  { path, single }: { path: Path; single: boolean },
): number | typeof BAD {
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  const text = typeof value === "string" && DECIMAL.test(value);
  if (typeof value !== "number" && !text) return wrongType(context, path, { wanted: "a number", value });
  const number = Number(value);
  if (Number.isFinite(number) && (!single || Math.abs(number) <= MAX_FLOAT)) return number;
  const range = single ? "a 32-bit" : "a 64-bit";
  return context.error(path, `${context.show(value)} is out of the range of ${range} number`, {
    rule: "out-of-range",
    value,
  });
}

interface IntegerRange {
  readonly name: string;
  readonly low: bigint;
  readonly high: bigint;
  readonly wide: boolean;
}

const INT32: IntegerRange = { name: "int32", low: -(2n ** 31n), high: 2n ** 31n - 1n, wide: false };
const UINT32: IntegerRange = { name: "uint32", low: 0n, high: 2n ** 32n - 1n, wide: false };
const INT64: IntegerRange = { name: "int64", low: -(2n ** 63n), high: 2n ** 63n - 1n, wide: true };
const UINT64: IntegerRange = { name: "uint64", low: 0n, high: 2n ** 64n - 1n, wide: true };
const RANGES: ReadonlyMap<number, IntegerRange> = new Map([
  [KIND.INT32, INT32],
  [KIND.SINT32, INT32],
  [KIND.SFIXED32, INT32],
  [KIND.UINT32, UINT32],
  [KIND.FIXED32, UINT32],
  [KIND.INT64, INT64],
  [KIND.SINT64, INT64],
  [KIND.SFIXED64, INT64],
  [KIND.UINT64, UINT64],
  [KIND.FIXED64, UINT64],
]);

/** A number or a decimal text, within the range of the kind. */
export function readInteger(
  context: ReadContext,
  value: unknown,
  { path, kind }: { path: Path; kind: number },
): Integer | typeof BAD {
  const range = RANGES.get(kind);
  if (!range) return wrongType(context, path, { wanted: "nothing (groups have no JSON form)", value });
  const integer = integerOf(value);
  if (integer === "inexact" && range.wide) {
    return context.error(path, `${context.show(value)} is too large for an unquoted number, write it in quotes`, {
      rule: "out-of-range",
      value,
    });
  }
  if (integer === undefined) return wrongType(context, path, { wanted: `an integer (${range.name})`, value });
  if (integer !== "inexact" && integer >= range.low && integer <= range.high) return integer;
  return context.error(path, `${context.show(value)} is out of range, ${range.name} is ${range.low} to ${range.high}`, {
    rule: "out-of-range",
    value,
  });
}

const MAX_DIGITS = 40;
const INTEGER = /^-?(0|[1-9]\d*)$/;

function integerOf(value: unknown): Integer | "inexact" | undefined {
  if (typeof value === "bigint") return narrow(value);
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return undefined;
    return Number.isSafeInteger(value) ? (value === 0 ? 0 : value) : "inexact";
  }
  if (typeof value !== "string" || value.length > MAX_DIGITS) return undefined;
  if (INTEGER.test(value)) return narrow(BigInt(value));
  if (!DECIMAL.test(value)) return undefined; // "1e3" and "7.0" are integers too
  const number = Number(value);
  return Number.isInteger(number) ? (Number.isSafeInteger(number) ? number : "inexact") : undefined;
}

const NULL_VALUE = "google.protobuf.NullValue";
const MAX_LISTED = 12;

function readEnum(context: ReadContext, type: EnumDescriptor, value: unknown, path: Path): number | typeof BAD {
  if (value === null && type.name === NULL_VALUE) return 0;
  const named = typeof value === "string" ? type.byName.get(value) : undefined;
  const number = named?.number ?? (isInt32(value) ? value : undefined);
  const known = number === undefined ? undefined : named ?? type.byNumber.get(number);
  if (number === undefined || (!known && !type.open)) {
    const names = [...type.byName.keys()];
    const list = names.slice(0, MAX_LISTED).join(", ") + (names.length > MAX_LISTED ? ", …" : "");
    return context.error(path, `expected one of ${list}, found ${context.describe(value)}`, {
      rule: "unknown-enum-value",
      value,
      suggestion: typeof value === "string" ? context.suggest(() => suggest(value, names)) : undefined,
    });
  }
  if (known) tellDeprecated(context, { what: `value "${known.name}"`, ...known }, path);
  return number;
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && (value as number | 0) === value; // an integer is a number
}

/** Warns about a field or value that Envoy advises against or refuses by default. */
export function tellDeprecated(
  context: ReadContext,
  { what, deprecation }: { what: string; deprecation: FieldDescriptor["deprecation"] },
  path: Path,
): void {
  if (!context.tellDeprecations || !(deprecation.deprecated || deprecation.disallowed)) return;
  const since = deprecation.since === undefined ? "" : ` since Envoy ${deprecation.since}`;
  if (deprecation.disallowed) {
    context.warn(path, `${what} is deprecated${since} and refused by Envoy unless its runtime allows it`, {
      rule: "disallowed-by-default",
    });
  } else context.warn(path, `${what} is deprecated${since}`, { rule: "deprecated" });
}
