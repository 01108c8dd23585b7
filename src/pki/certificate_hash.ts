const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/**
 * A short text that changes with a certificate and fits into a label. The very hash that objects in clusters carry already, so
 * that taking over changes no label: FNV-1a of 32 bits over the bytes as Go prints them.
 */
export function certificateHash(pem: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`([]uint8)[${pem.join(" ")}]`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join("");
}
