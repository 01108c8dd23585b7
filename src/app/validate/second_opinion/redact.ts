import { REDACTED } from "../../../envoy/mod.ts";

/** Shorter texts are found everywhere; what a person calls a secret is longer. */
const SHORTEST = 4;
const LONGEST_MESSAGE = 600;

/** Envoy's words on one line, without any of the secrets: as they are, line by line, or what their base64 says. */
export function redactWords(words: string, secrets: readonly string[]): string {
  let text = words;
  for (const form of secrets.flatMap(formsOf).toSorted((a, b) => b.length - a.length)) {
    text = text.replaceAll(form, REDACTED);
  }
  text = text.replace(/\s+/g, " ").trim();
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…` : text;
}

function formsOf(secret: string): string[] {
  const texts = [secret];
  try {
    texts.push(new TextDecoder().decode(Uint8Array.fromBase64(secret)));
  } catch {
    // no base64, so it stands for itself
  }
  return texts.flatMap((text) => [text, text.trim(), ...text.split(/\r?\n/)]).filter((text) => text.length >= SHORTEST);
}
