import type { Plain } from "../schema/mod.ts";

/** What is inside an Any. */
export interface AnyMessage {
  /** Full name of the message type. */
  readonly type: string;
  readonly message: Plain;
}

const MESSAGE = Symbol("message");

/** Keeps the message beside the bytes it became, so that nobody has to decode them again. */
export function attachMessage(any: Plain, content: AnyMessage): Plain {
  Object.defineProperty(any, MESSAGE, { value: content, enumerable: false });
  return any;
}

/** The message of an Any that came out of the reader; undefined for others, whose bytes have to be decoded. */
export function attachedMessage(any: Plain): AnyMessage | undefined {
  return (any as { [MESSAGE]?: AnyMessage })[MESSAGE]; // only attachMessage() sets it
}
