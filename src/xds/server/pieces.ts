import { Buffer } from "node:buffer";

/** One message on its way out: `body` is shared by many streams and must not change any more, `tail` belongs to one stream. */
export interface OutMessage {
  readonly body: Uint8Array;
  readonly tail: Uint8Array;
}

/** Flag and length in front of each message: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
const HEADER_BYTES = 5;

interface Shared {
  readonly tailBytes: number;
  readonly pieceBytes: number;
  readonly pieces: readonly Buffer[];
}

/**
 * The cut of a body, made once however many streams get it. Only the first piece is a copy, since the header stands in front
 * of it. One entry per body is enough: the tail of a kind of message has a fixed width.
 */
const sharedPieces = new WeakMap<Uint8Array, Shared>();

/** The message as it goes over the wire, in pieces of about `pieceBytes`; all but a short last one are shared between streams. */
export function piecesOf({ body, tail }: OutMessage, pieceBytes: number): readonly Buffer[] {
  if (HEADER_BYTES + body.length + tail.length <= pieceBytes) return [joined(body, tail)];
  const pieces = piecesOfBody(body, tail.length, pieceBytes);
  return tail.length === 0 ? pieces : [...pieces, bufferOver(tail)];
}

/** Bytes of the message on the wire. */
export function framedBytes({ body, tail }: OutMessage): number {
  return HEADER_BYTES + body.length + tail.length;
}

/** Body and tail in one, without a header: what grpc-js frames itself. */
export function messageBytes({ body, tail }: OutMessage): Buffer {
  return Buffer.concat([body, tail]);
}

function piecesOfBody(body: Uint8Array, tailBytes: number, pieceBytes: number): readonly Buffer[] {
  const known = sharedPieces.get(body);
  if (known?.tailBytes === tailBytes && known.pieceBytes === pieceBytes) return known.pieces;
  const inFirst = Math.min(body.length, pieceBytes - HEADER_BYTES);
  // Not from the pool: the piece lives as long as the body.
  const first = Buffer.allocUnsafeSlow(HEADER_BYTES + inFirst);
  writeHeader(first, body.length + tailBytes);
  first.set(body.subarray(0, inFirst), HEADER_BYTES);
  const pieces: Buffer[] = [first];
  const whole = bufferOver(body);
  for (let at = inFirst; at < body.length; at += pieceBytes) pieces.push(whole.subarray(at, at + pieceBytes));
  sharedPieces.set(body, { tailBytes, pieceBytes, pieces });
  return pieces;
}

function joined(body: Uint8Array, tail: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(HEADER_BYTES + body.length + tail.length);
  writeHeader(out, body.length + tail.length);
  out.set(body, HEADER_BYTES);
  out.set(tail, HEADER_BYTES + body.length);
  return out;
}

function writeHeader(out: Buffer, length: number): void {
  out[0] = 0;
  out.writeUInt32BE(length, 1);
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
