import type { Integer } from "./reader.ts";

const utf8 = new TextEncoder();
const MASK_64 = (1n << 64n) - 1n;
const KEEP_AT_MOST = 1 << 20;

/** Writes protobuf's wire format into one growing buffer; a message inside another needs no buffer of its own. */
export class WireWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #at = 0;

  constructor(size = 512) {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** A copy of what was written, of exactly that size; the writer starts anew. */
  finish(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    if (this.#bytes.length > KEEP_AT_MOST) this.#resize(512); // one giant message must not hold its memory for ever
    return bytes;
  }

  /** Forgets what was written, e.g. after an error half way. */
  reset(): void {
    this.#at = 0;
  }

  /** An unsigned varint of 32 bits. */
  uint32(value: number): void {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  /** An int32 or enum: ten bytes when negative. */
  int32(value: number): void {
    if (value >= 0) this.uint32(value);
    else this.varint64(value);
  }

  sint32(value: number): void {
    this.uint32((value << 1) ^ (value >> 31));
  }

  /** An int64 or uint64 of any sign. */
  varint64(value: Integer): void {
    if (typeof value === "number" && value >= 0 && value <= 0xffff_ffff) return this.uint32(value);
    this.#reserve(10);
    let rest = BigInt(value) & MASK_64;
    while (rest > 127n) {
      this.#bytes[this.#at++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }

  sint64(value: Integer): void {
    const wide = BigInt(value);
    this.varint64((wide << 1n) ^ (wide >> 63n));
  }

  bool(value: boolean): void {
    this.uint32(value ? 1 : 0);
  }

  fixed32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  fixed64(value: Integer): void {
    this.#reserve(8);
    this.#view.setBigUint64(this.#at, BigInt.asUintN(64, BigInt(value)), true);
    this.#at += 8;
  }

  float(value: number): void {
    this.#reserve(4);
    this.#view.setFloat32(this.#at, value, true);
    this.#at += 4;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** A length and bytes. */
  slice(value: Uint8Array): void {
    this.uint32(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** A length and text as UTF-8. */
  text(value: string): void {
    this.#reserve(value.length * 3 + 5);
    const at = this.open();
    if (value.length <= 48 && this.#ascii(value)) return this.close(at);
    this.#at += utf8.encodeInto(value, this.#bytes.subarray(this.#at)).written;
    this.close(at);
  }

  /** Begins something of unknown length; give the result to {@linkcode close}. */
  open(): number {
    this.#reserve(1);
    return this.#at++; // room for the usual one-byte length
  }

  /** Writes the length of what was written since {@linkcode open} in front of it. */
  close(opened: number): void {
    const length = this.#at - opened - 1;
    if (length < 128) {
      this.#bytes[opened] = length;
      return;
    }
    let extra = 0;
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) extra++;
    this.#reserve(extra);
    this.#bytes.copyWithin(opened + 1 + extra, opened + 1, this.#at);
    const end = this.#at + extra;
    this.#at = opened;
    this.uint32(length);
    this.#at = end;
  }

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const before = this.#bytes.subarray(0, this.#at);
    this.#resize(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.set(before);
  }

  #resize(size: number): void {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Writes short ASCII without the encoder, which would cost more than the text; writes nothing and says no otherwise. */
  #ascii(value: string): boolean {
    const from = this.#at;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) {
        this.#at = from;
        return false;
      }
      this.#bytes[this.#at++] = code;
    }
    return true;
  }
}
