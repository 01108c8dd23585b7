import type { MessageDescriptor, Plain } from "./schema/descriptor.ts";
import { decodeMessage } from "./wire/decode.ts";
import { encodeMessage } from "./wire/encode.ts";

/**
 * Turns one message type into plain objects and back. The plain form: keys are the .proto field names (`type_url`),
 * enums are numbers, 64-bit integers are numbers where that is exact and bigints beyond, bytes are `Uint8Array`s (when
 * decoded: views of the input), maps are objects without a prototype, and a oneof is the one member that is set.
 *
 * In a decoded message a field is an own property exactly when it was on the wire. An absent field without presence
 * (scalars of proto3, lists, maps) still reads as its zero value; an absent message, oneof member or `optional` as
 * `undefined`. Unknown fields are dropped.
 */
export class Codec {
  readonly descriptor: MessageDescriptor;

  constructor(descriptor: MessageDescriptor) {
    this.descriptor = descriptor;
  }

  /** @throws {ChanceryError} `invalid-input` when the bytes are malformed or nested deeper than 100 messages */
  decode(bytes: Uint8Array): Plain {
    return decodeMessage(this.descriptor, bytes);
  }

  /**
   * Equal messages give equal bytes: fields by number, map entries by key, zero values left out.
   *
   * @throws {TypeError} when a value is not of its field's type; keys that are no fields are ignored
   */
  encode(message: Plain): Uint8Array {
    return encodeMessage(this.descriptor, message);
  }
}
