/** One element of DER. */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

const TAG_OID = 0x06;
const TAG_UTF8_STRING = 0x0c;
const TAG_BMP_STRING = 0x1e;
const TAG_VERSION = 0xa0;
const TAG_EXTENSIONS = 0xa3;
const TAG_DNS_NAME = 0x82;
const TAG_URI = 0x86;

const OID_COMMON_NAME = "550403"; // 2.5.4.3
const OID_SUBJECT_ALT_NAME = "551d11"; // 2.5.29.17

/**
 * The names of a certificate (DER): subject alternative names of kind DNS and URI, then the common name; and those of kind URI alone. Read from the bytes,
 * because the text that `X509Certificate.subjectAltName` gives here does not quote, so that a name with a comma in it reads like two.
 * https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
export function certificateNames(der: Uint8Array): { readonly names: string[]; readonly uris: string[] } {
  const fields = elements(first(first(der).content).content);
  const subject = fields[fields[0]?.tag === TAG_VERSION ? 5 : 4];
  const extensions = fields.find((f) => f.tag === TAG_EXTENSIONS);
  const alternative = extensions ? alternativeNames(first(extensions.content).content) : [];
  const names = alternative.map(({ content }) => latin1(content));
  const uris = alternative.filter(({ tag }) => tag === TAG_URI).map(({ content }) => latin1(content));
  const commonName = subject && commonNameOf(subject.content);
  return { names: commonName === undefined || names.includes(commonName) ? names : [...names, commonName], uris };
}

function alternativeNames(extensions: Uint8Array): Element[] {
  for (const extension of elements(extensions)) {
    const parts = elements(extension.content);
    const value = parts.at(-1);
    if (!value || oidOf(parts[0]) !== OID_SUBJECT_ALT_NAME) continue;
    return elements(first(value.content).content).filter(({ tag }) => tag === TAG_DNS_NAME || tag === TAG_URI);
  }
  return [];
}

/** The last one, as the most specific one stands last. */
function commonNameOf(name: Uint8Array): string | undefined {
  const attributes = elements(name).flatMap((set) => elements(set.content)).map((pair) => elements(pair.content));
  const value = attributes.filter(([oid]) => oidOf(oid) === OID_COMMON_NAME).at(-1)?.[1];
  return value && textOf(value);
}

function textOf({ tag, content }: Element): string {
  if (tag === TAG_UTF8_STRING) return new TextDecoder().decode(content);
  if (tag === TAG_BMP_STRING) return new TextDecoder("utf-16be").decode(content);
  return latin1(content);
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function oidOf(element: Element | undefined): string | undefined {
  return element?.tag === TAG_OID ? element.content.toHex() : undefined;
}

function first(bytes: Uint8Array): Element {
  const element = elements(bytes)[0];
  if (!element) throw new RangeError("DER ends early");
  return element;
}

/** The elements that stand one after the other. */
function elements(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = byteAt(bytes, at++);
    let length = byteAt(bytes, at++);
    if (length > 0x80) {
      const end = at + length - 0x80;
      for (length = 0; at < end; at++) length = length * 256 + byteAt(bytes, at);
    }
    if (at + length > bytes.length) throw new RangeError("DER ends early");
    found.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError("DER ends early");
  return byte;
}
