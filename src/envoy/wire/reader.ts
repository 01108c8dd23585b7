import { Reader } from "protobufjs/minimal.js";
import { ChanceryError, errorMessage } from "../../base/mod.ts";

/** The low three bits of a tag: https://protobuf.dev/programming-guides/encoding/#structure */
export const WIRE = { VARINT: 0, FIXED64: 1, LENGTH: 2, GROUP_START: 3, GROUP_END: 4, FIXED32: 5 } as const;

/**
 * The library's reader of protobuf's wire format, and the few things that it leaves to code it generates. Texts are read
 * with `stringVerify()`, since proto3 wants them valid; `bytes()` gives views, not copies. To read a message inside another
 * without a reader of its own, set `len` to the inner end and back.
 *
 * Its methods throw errors of the library: call them within {@linkcode reading}.
 */
export class WireReader extends Reader {
  /** Whether anything is left. */
  more(): boolean {
    return this.pos < this.len;
  }

  /** Reads a length and returns the place after that many bytes, which must exist; the position is at their start. */
  lengthEnd(): number {
    const end = this.size() + this.pos;
    if (end > this.len) throw new RangeError("a length points beyond the end");
    return end;
  }

  /** Skips the value of a field whose tag was read; throws when it is no field: number 0, a lone end of a group. */
  skipField(tag: number): void {
    this.skipType(tag & 7, 0, tag >>> 3);
  }

  /** As the library, which however would skip a varint of any length where it reads one of ten bytes at most. */
  override skip(length?: number): this {
    if (length === undefined) this.uint32();
    else super.skip(length);
    return this;
  }

  /** As the library, whose error for invalid UTF-8 is a `TypeError`, as if the program were wrong and not the bytes. */
  override stringVerify(): string {
    try {
      return super.stringVerify();
    } catch (thrown) {
      throw thrown instanceof TypeError ? new RangeError("a text is not valid UTF-8", { cause: thrown }) : thrown;
    }
  }
}

/**
 * Does something with a {@linkcode WireReader}. What the library throws, an `Error` or a `RangeError`, comes out as
 * {@linkcode ChanceryError} `invalid-input`; other errors stay as they are.
 */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ChanceryError || thrown instanceof TypeError || thrown instanceof ReferenceError) {
      throw thrown;
    }
    throw new ChanceryError("invalid-input", `Cannot read protobuf bytes: ${errorMessage(thrown)}`, { cause: thrown });
  }
}
