import { KIND } from "../schema/mod.ts";
import { type Integer, narrow } from "../wire/integer.ts";
import type { BAD, ReadContext, Spot } from "./context.ts";

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

/**
 * A number or a decimal text, within the range of the kind. Beyond 2^53 an unquoted number has already lost digits when it
 * gets here, so that is an error and not a guess.
 */
export function readInteger(context: ReadContext, spot: Spot, kind: number): Integer | typeof BAD {
  const range = RANGES.get(kind);
  if (!range) return context.wrongType(spot, "nothing (proto2 groups have no JSON form)");
  const integer = integerOf(spot.value);
  if (integer === undefined) return context.wrongType(spot, `an integer (${range.name})`);
  if (integer !== "inexact" && integer >= range.low && integer <= range.high) return integer;
  const quoted = context.quote(spot.value);
  const message = integer === "inexact" && range.wide
    ? `${quoted} is too large for an unquoted number, write it in quotes`
    : `${quoted} is out of range, ${range.name} goes from ${range.low} to ${range.high}`;
  return context.error(spot, message, { rule: "out-of-range", show: true });
}

const MAX_DIGITS = 40;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

function integerOf(value: unknown): Integer | "inexact" | undefined {
  if (typeof value === "bigint") return narrow(value);
  if (typeof value === "number") return exact(value);
  if (typeof value !== "string" || value.length > MAX_DIGITS) return undefined;
  if (INTEGER.test(value)) return narrow(BigInt(value));
  return DECIMAL.test(value) ? exact(Number(value)) : undefined; // "1e3" and "7.0" are integers too
}

function exact(value: number): Integer | "inexact" | undefined {
  if (!Number.isInteger(value)) return undefined;
  return Number.isSafeInteger(value) ? value + 0 : "inexact"; // + 0 turns -0 into 0
}
