/** What proxies refuse configuration for, in a word: few enough to be a label. */
export type RefusalReason =
  | "address-in-use"
  | "certificate"
  | "duplicate"
  | "unknown-cluster"
  | "unknown-extension"
  | "invalid"
  | "other";

/** Words of Envoy, the more telling ones first: a message may hold several. */
const WORDS: readonly (readonly [RefusalReason, RegExp])[] = [
  ["address-in-use", /cannot bind|address already in use|EADDRINUSE/i],
  ["certificate", /certificate|private key|trusted ca|\bTLS\b/i],
  ["duplicate", /duplicate/i],
  ["unknown-cluster", /unknown cluster/i],
  ["unknown-extension", /didn't find a registered implementation|unknown type|could not find @type/i],
  ["invalid", /constraint validation|invalid|unable to parse|must be|required|missing/i],
];

/** Sorts a refusal by the client's words. */
export function refusalReason(message: string): RefusalReason {
  return WORDS.find(([, pattern]) => pattern.test(message))?.[0] ?? "other";
}
