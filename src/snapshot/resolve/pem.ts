const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;
const CERTIFICATE_LABELS = new Set(["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]);
const KEY_LABELS = new Set(["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]);

/** What is wrong with bytes that should be one or more PEM certificates; `undefined` when they look right. */
export function certificatesProblem(bytes: Uint8Array): string | undefined {
  const blocks = pemBlocks(bytes);
  const certificates = blocks.filter((block) => CERTIFICATE_LABELS.has(block.label));
  if (certificates.length === 0) {
    return blocks.some((block) => block.label.endsWith("KEY"))
      ? "holds a key instead of a PEM certificate"
      : "holds no PEM certificate";
  }
  return certificates.every((block) => isDer(block.body)) ? undefined : "holds a damaged PEM certificate";
}

/** What is wrong with bytes that should be a PEM private key without a password; `undefined` when they look right. */
export function privateKeyProblem(bytes: Uint8Array): string | undefined {
  const blocks = pemBlocks(bytes);
  const keys = blocks.filter((block) => KEY_LABELS.has(block.label));
  if (keys.length > 1) return "holds more than one private key";
  const [key] = keys;
  if (key) {
    if (key.body.includes("ENCRYPTED")) return "holds a private key with a password";
    return isDer(key.body) ? undefined : "holds a damaged PEM private key";
  }
  if (blocks.some((block) => block.label === "ENCRYPTED PRIVATE KEY")) return "holds a private key with a password";
  return blocks.some((block) => CERTIFICATE_LABELS.has(block.label))
    ? "holds a certificate instead of a private key"
    : "holds no PEM private key";
}

interface PemBlock {
  readonly label: string;
  readonly body: string;
}

function pemBlocks(bytes: Uint8Array): PemBlock[] {
  const text = new TextDecoder().decode(bytes); // what is no UTF-8 becomes no PEM
  return [...text.matchAll(BLOCK)].map(([, label = "", body = ""]) => ({ label, body }));
}

/** Base64 of something that begins as DER does: a SEQUENCE. Whether it is a certificate is for those who parse it. */
function isDer(body: string): boolean {
  const base64 = body.replace(/\s+/g, "");
  if (base64 === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return false;
  return Uint8Array.fromBase64(base64.slice(0, 4))[0] === 0x30;
}
