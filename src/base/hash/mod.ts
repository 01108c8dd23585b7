/**
 * Content hashes. Apart from `base/mod.ts` because it needs `node:crypto` (synchronous), which the in-pod agents must not load.
 * @module
 */
import { createHash } from "node:crypto";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** SHA-256 as lower-case hex, 64 characters. */
export function sha256Hex(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The first `length` characters of lower-case RFC 4648 base32 of SHA-256: safe in names and label values. */
export function shortHash(data: Uint8Array | string, length = 10): string {
  const digest = createHash("sha256").update(data).digest();
  let out = "";
  let bits = 0;
  let pending = 0;
  for (const byte of digest) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5 && out.length < length) {
      bits -= 5;
      out += BASE32[(pending >> bits) & 31];
      pending &= (1 << bits) - 1;
    }
  }
  return out;
}
