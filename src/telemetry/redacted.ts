/** What stands wherever a secret would have been shown. */
export const REDACTED = "[redacted]";

/**
 * Bytes that must not be seen. Whatever turns the holder into text (template, JSON, `console.log`, an error message) gets
 * {@linkcode REDACTED}; only {@linkcode Redacted.reveal} gives the bytes, so that a search for that word finds every place
 * where a secret is used. W1 was an opaque secret printed each time it was read.
 */
export class Redacted {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The bytes themselves: to encode, never to show. */
  reveal(): Uint8Array {
    return this.#bytes;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  [Symbol.for("Deno.customInspect")](): string {
    return REDACTED;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}
