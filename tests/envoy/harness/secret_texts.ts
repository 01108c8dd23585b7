import type { Fields } from "./manifest.ts";

/** Keys of a Secret that hold what everybody may see. */
const PUBLIC = ["tls.crt", "ca.crt"];

/**
 * The texts that must never show: of every value of a Secret its lines, as they are, in base64 and in hex. Lines too short to be
 * told from chance are left out. Nothing for other kinds.
 */
export function secretTexts(document: Fields): string[] {
  if (document["kind"] !== "Secret") return [];
  const data = Object.entries((document["data"] ?? {}) as Record<string, string>)
    .map(([key, value]) => [key, Uint8Array.fromBase64(value)] as const);
  const plain = Object.entries((document["stringData"] ?? {}) as Record<string, string>)
    .map(([key, value]) => [key, new TextEncoder().encode(value)] as const);
  return [...data, ...plain].filter(([key]) => !PUBLIC.includes(key)).flatMap(([, bytes]) => {
    const lines = new TextDecoder().decode(bytes).split("\n").filter((line) =>
      line.length >= 12 && !line.startsWith("---")
    );
    return [...lines, bytes.toBase64().slice(0, 120), bytes.toHex()];
  });
}
