import { expect } from "expect";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { framedBytes, messageBytes, piecesOf } from "./pieces.ts";

Deno.test("piecesOf() gives header, body and tail in order, whatever their sizes", () => {
  fc.assert(fc.property(fc.nat(3000), fc.nat(60), fc.integer({ min: 16, max: 500 }), (bodyBytes, tailBytes, piece) => {
    const body = Uint8Array.from({ length: bodyBytes }, (_, i) => i % 251);
    const tail = Uint8Array.from({ length: tailBytes }, (_, i) => 255 - i);
    const message = { body, tail };
    const wire = Buffer.concat(piecesOf(message, piece));
    expect(wire[0]).toBe(0);
    expect(wire.readUInt32BE(1)).toBe(bodyBytes + tailBytes);
    expect(wire.subarray(5)).toEqual(messageBytes(message));
    expect(wire.length).toBe(framedBytes(message));
    for (const part of piecesOf(message, piece)) expect(part.length).toBeLessThanOrEqual(Math.max(piece, tailBytes));
  }));
});

Deno.test("piecesOf() shares all but the tail between streams, and copies no body", () => {
  const body = new Uint8Array(100_000);
  const one = piecesOf({ body, tail: Uint8Array.of(1) }, 16_384);
  const two = piecesOf({ body, tail: Uint8Array.of(2) }, 16_384);
  expect(one.length).toBe(8);
  for (const [index, piece] of one.slice(0, -1).entries()) expect(two[index]).toBe(piece);
  for (const piece of one.slice(1, -1)) expect(piece.buffer).toBe(body.buffer);
  expect(two.at(-1)?.[0]).toBe(2);
});

Deno.test("piecesOf() writes another length when the tail is of another length", () => {
  const body = new Uint8Array(100_000);
  const lengths = [3, 9, 3].map((bytes) => piecesOf({ body, tail: new Uint8Array(bytes) }, 16_384)[0]?.readUInt32BE(1));
  expect(lengths).toEqual([100_003, 100_009, 100_003]);
});
