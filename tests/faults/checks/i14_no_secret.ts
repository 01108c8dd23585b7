import { entriesOf, type Log } from "../journal.ts";

/** The forms in which a secret could show: as it is, in hex, and in base64 at each of the three alignments. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = [0, 1, 2].map((pad) => {
    const text = new Uint8Array([...new Uint8Array(pad), ...bytes]).toBase64({ omitPadding: true });
    return text.slice(pad + (pad > 0 ? 1 : 0), -2); // the ends depend on the neighbours
  });
  return [secret, bytes.toHex(), bytes.toHex().toUpperCase(), ...base64];
}

/** No secret shows in anything that the program says of itself. */
export function noSecret(log: Log): string[] {
  const forms = entriesOf(log, "secret").flatMap(({ canary }) => formsOf(canary));
  return entriesOf(log, "output").filter(({ text }) => forms.some((form) => text.includes(form)))
    .map(({ source }) => `${source} shows a secret`);
}
