import type { Reader } from "protobufjs/minimal.js";

/** An integer of up to 64 bits: a number where that is exact, a bigint beyond. */
export type Integer = number | bigint;

/** How the library gives and takes 64 bits: in halves. */
type Long = ReturnType<Reader["int64"]>;

const TWO_32 = 0x1_0000_0000;

/** The value of what a reader's `int64()` and its like gave. */
export function fromLong({ low, high, unsigned }: Long): Integer {
  const upper = unsigned ? high >>> 0 : high;
  const lower = low >>> 0;
  const number = upper * TWO_32 + lower;
  return Number.isSafeInteger(number) ? number : (BigInt(upper) << 32n) | BigInt(lower);
}

/** What a writer's `int64()` and its like take. A number is exact there, but a bigint would become zero. */
export function toLong(value: Integer): Long | number {
  if (typeof value === "number") return value;
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false };
}

/** The number of the same value where that is exact. */
export function narrow(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
