import { suggest } from "../../base/mod.ts";
import { type EnumDescriptor, type FieldDescriptor, KIND } from "../schema/mod.ts";
import { BAD, type ReadContext, type Spot } from "./context.ts";
import { readInteger } from "./integer.ts";

/** JSON value → scalar or enum, as https://protobuf.dev/programming-guides/json/ says, or {@linkcode BAD}. */
export function readScalar(context: ReadContext, field: FieldDescriptor, spot: Spot): unknown {
  switch (field.kind) {
    case KIND.BOOL:
      return typeof spot.value === "boolean" ? spot.value : context.wrongType(spot, "true or false");
    case KIND.STRING:
      return readString(context, spot);
    case KIND.BYTES:
      return readBytes(context, spot);
    case KIND.DOUBLE:
    case KIND.FLOAT:
      return readFloat(context, spot, { single: field.kind === KIND.FLOAT });
    case KIND.ENUM:
      return readEnum(context, spot, field.enum);
    default:
      return readInteger(context, spot, field.kind);
  }
}

function readString(context: ReadContext, spot: Spot): string | typeof BAD {
  const { value } = spot;
  if (typeof value !== "string") {
    const scalar = typeof value === "number" || typeof value === "boolean";
    return context.wrongType(spot, "a string", scalar ? { hint: " (put it in quotes)" } : {});
  }
  return value.isWellFormed() ? value : notUnicode(context, spot);
}

/** Notes that a text has half a surrogate pair, which no UTF-8 can say. */
export function notUnicode(context: ReadContext, spot: Spot): typeof BAD {
  return context.error(spot, "expected Unicode text, found half a surrogate pair", { rule: "wrong-type" });
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Standard or URL-safe base64, padded or not. */
function readBytes(context: ReadContext, spot: Spot): Uint8Array | typeof BAD {
  if (typeof spot.value !== "string") return context.wrongType(spot, "base64 text");
  return fromBase64(spot.value) ?? context.wrongType(spot, "base64 text");
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

function readFloat(context: ReadContext, spot: Spot, { single }: { single: boolean }): number | typeof BAD {
  const { value } = spot;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  const isText = typeof value === "string" && DECIMAL.test(value);
  if (typeof value !== "number" && typeof value !== "bigint" && !isText) return context.wrongType(spot, "a number");
  const number = Number(value);
  if (Number.isFinite(number) && (!single || Math.abs(number) <= MAX_FLOAT)) return number;
  const bits = single ? 32 : 64;
  return context.error(spot, `${context.quote(value)} is out of the range of a ${bits}-bit floating point number`, {
    rule: "out-of-range",
    show: true,
  });
}

const NULL_VALUE = "google.protobuf.NullValue";
const MAX_LISTED = 12;

function readEnum(context: ReadContext, spot: Spot, type: EnumDescriptor): number | typeof BAD {
  const { value } = spot;
  if (value === null && type.name === NULL_VALUE) return 0;
  const named = typeof value === "string" ? type.byName.get(value) : undefined;
  const number = named?.number ?? (isInt32(value) ? value : undefined);
  const known = number === undefined ? undefined : named ?? type.byNumber.get(number);
  if (number === undefined || (!known && !type.open)) {
    const names = [...type.byName.keys()];
    const listed = names.slice(0, MAX_LISTED).join(", ") + (names.length > MAX_LISTED ? ", …" : "");
    const suggestion = typeof value === "string" ? context.suggest(() => suggest(value, names)) : undefined;
    return context.error(spot, `expected one of ${listed}, found ${context.quote(value)}`, {
      rule: "unknown-enum-value",
      show: true,
      suggestion,
    });
  }
  if (known) tellDeprecated(context, spot, { what: `value "${known.name}"`, deprecation: known.deprecation });
  return number;
}

function isInt32(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && (value | 0) === value;
}

/** Warns about a field or value that Envoy advises against or refuses by default. */
export function tellDeprecated(
  context: ReadContext,
  spot: Spot,
  { what, deprecation }: { what: string; deprecation: FieldDescriptor["deprecation"] },
): void {
  if (!context.tellDeprecations || !(deprecation.deprecated || deprecation.disallowed)) return;
  const since = deprecation.since === undefined ? "" : ` since API version ${deprecation.since}`;
  if (deprecation.disallowed) {
    const message = `${what} is deprecated${since} and refused by Envoy unless its runtime allows it`;
    context.warn(spot, message, { rule: "disallowed-by-default" });
  } else context.warn(spot, `${what} is deprecated${since}`, { rule: "deprecated" });
}
