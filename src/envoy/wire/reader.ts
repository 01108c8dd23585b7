import { ChanceryError } from "../../base/mod.ts";

/** The low three bits of a tag: https://protobuf.dev/programming-guides/encoding/#structure */
export const WIRE = { VARINT: 0, FIXED64: 1, LENGTH: 2, GROUP_START: 3, GROUP_END: 4, FIXED32: 5 } as const;

/** An integer of up to 64 bits: a number where that is exact, a bigint beyond. */
export type Integer = number | bigint;

const TWO_32 = 0x1_0000_0000;
const MAX_NESTED_GROUPS = 100;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads protobuf's wire format from a slice of a buffer, without copying. Every method throws {@linkcode ChanceryError}
 * `invalid-input` when the bytes end early or are malformed.
 */
export class WireReader {
  readonly bytes: Uint8Array;
  position: number;
  end: number;
  #high = 0;
  #view: DataView | undefined;

  constructor(bytes: Uint8Array, position = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  /** Whether anything is left. */
  more(): boolean {
    return this.position < this.end;
  }

  /** The next tag, `number << 3 | wire type`. */
  tag(): number {
    const tag = this.uint32();
    if (this.#high !== 0 || tag >>> 3 === 0) throw malformed("a field has no number");
    return tag;
  }

  /** The low 32 bits of a varint, unsigned. */
  uint32(): number {
    const { bytes, end } = this;
    let position = this.position;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (position >= end) throw malformed("it ends inside a number");
      const byte = bytes[position++]!;
      if (shift < 28) low |= (byte & 127) << shift;
      else if (shift === 28) {
        low |= (byte & 127) << 28;
        high = (byte & 127) >> 4;
      } else high |= (byte & 127) << (shift - 32);
      if (byte < 128) {
        this.position = position;
        this.#high = high >>> 0;
        return low >>> 0;
      }
    }
    throw malformed("a number has more than ten bytes");
  }

  /** A varint as uint64. */
  uint64(): Integer {
    const low = this.uint32();
    return joinUnsigned(low, this.#high);
  }

  /** A varint as int64. */
  int64(): Integer {
    const low = this.uint32();
    return joinSigned(low, this.#high);
  }

  /** A varint as sint64 (zigzag). */
  sint64(): Integer {
    const low = this.uint32();
    const value = (BigInt(this.#high) << 32n) | BigInt(low);
    const decoded = (value >> 1n) ^ -(value & 1n);
    return narrow(decoded);
  }

  /** A varint as sint32 (zigzag). */
  sint32(): number {
    const value = this.uint32();
    return (value >>> 1) ^ -(value & 1);
  }

  /** A varint as bool: any bit of the 64 counts. */
  bool(): boolean {
    return this.uint32() !== 0 || this.#high !== 0;
  }

  fixed32(): number {
    return this.#dataView().getUint32(this.#advance(4), true);
  }

  sfixed32(): number {
    return this.#dataView().getInt32(this.#advance(4), true);
  }

  fixed64(): Integer {
    const at = this.#advance(8);
    return joinUnsigned(this.#dataView().getUint32(at, true), this.#dataView().getUint32(at + 4, true));
  }

  sfixed64(): Integer {
    const at = this.#advance(8);
    return joinSigned(this.#dataView().getUint32(at, true), this.#dataView().getUint32(at + 4, true));
  }

  float(): number {
    return this.#dataView().getFloat32(this.#advance(4), true);
  }

  double(): number {
    return this.#dataView().getFloat64(this.#advance(8), true);
  }

  /** Reads a length and returns the place after that many bytes, which must exist; the position is at their start. */
  lengthEnd(): number {
    const length = this.uint32();
    const end = this.position + length;
    if (this.#high !== 0 || end > this.end) throw malformed("a length points beyond the end");
    return end;
  }

  /** Length-delimited bytes: a view, not a copy. */
  slice(): Uint8Array {
    const end = this.lengthEnd();
    const part = this.bytes.subarray(this.position, end);
    this.position = end;
    return part;
  }

  /** Length-delimited UTF-8; proto3 wants it valid, so anything else throws. */
  text(): string {
    const end = this.lengthEnd();
    const from = this.position;
    this.position = end;
    return decodeUtf8(this.bytes, from, end);
  }

  /** Skips the value of a field whose tag was read. */
  skip(tag: number, depth = 0): void {
    switch (tag & 7) {
      case WIRE.VARINT:
        this.uint32();
        return;
      case WIRE.FIXED64:
        this.#advance(8);
        return;
      case WIRE.LENGTH:
        this.position = this.lengthEnd();
        return;
      case WIRE.FIXED32:
        this.#advance(4);
        return;
      case WIRE.GROUP_START:
        if (depth >= MAX_NESTED_GROUPS) throw malformed("groups are nested too deeply");
        for (;;) {
          const inner = this.tag();
          if ((inner & 7) === WIRE.GROUP_END) {
            if (inner >>> 3 !== tag >>> 3) throw malformed("a group ends with another number");
            return;
          }
          this.skip(inner, depth + 1);
        }
      default:
        throw malformed(`wire type ${tag & 7} does not exist here`);
    }
  }

  #advance(count: number): number {
    const at = this.position;
    if (at + count > this.end) throw malformed("it ends inside a number");
    this.position = at + count;
    return at;
  }

  #dataView(): DataView {
    return this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  }
}

function decodeUtf8(bytes: Uint8Array, from: number, to: number): string {
  if (to - from <= 48) { // short ASCII: calling the decoder would cost more than the text
    let text = "";
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      if (byte >= 128) break;
      text += String.fromCharCode(byte);
    }
    if (at === to) return text;
  }
  try {
    return strictUtf8.decode(bytes.subarray(from, to));
  } catch (cause) {
    throw malformed("a text is not valid UTF-8", cause);
  }
}

function joinUnsigned(low: number, high: number): Integer {
  return high < 0x20_0000 ? high * TWO_32 + low : (BigInt(high) << 32n) | BigInt(low);
}

function joinSigned(low: number, high: number): Integer {
  if (high < 0x8000_0000) return joinUnsigned(low, high);
  return narrow(BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)));
}

/** The number of the same value where that is exact. */
export function narrow(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function malformed(why: string, cause?: unknown): ChanceryError {
  return new ChanceryError("invalid-input", `Cannot read protobuf bytes: ${why}`, { cause });
}
