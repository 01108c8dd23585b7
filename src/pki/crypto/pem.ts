/** Longest text that is looked at, in characters: a Secret holds at most 1 MiB, a bundle of CAs is far smaller. */
const MAX_TEXT = 1_048_576;

/** Most blocks that are looked at. */
const MAX_BLOCKS = 100;

/** One block of PEM. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`, … */
  readonly label: string;
  /** The whole block in lines of 64 characters, with a line break at the end. */
  readonly text: string;
}

/** The blocks of a PEM text, in their order; text around them is ignored, as openssl does, and so are blocks that are no base64. */
export function pemBlocks(bytes: Uint8Array): PemBlock[] {
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_TEXT));
  const blocks: PemBlock[] = [];
  for (
    const [, label, body] of text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----((?:[^-]|-(?!----))*)-----END \1-----/g)
  ) {
    if (blocks.length === MAX_BLOCKS) break;
    const base64 = body!.replace(/^.*:.*$/gm, "").replace(/\s+/g, "");
    const encrypted = /ENCRYPTED/.test(body!);
    blocks.push({ label: encrypted ? "ENCRYPTED PRIVATE KEY" : label!, text: pemText(label!, base64) });
  }
  return blocks;
}

/** A block of PEM from base64 without line breaks. */
export function pemText(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64.replace(/.{1,64}/g, "$&\n")}-----END ${label}-----\n`;
}
