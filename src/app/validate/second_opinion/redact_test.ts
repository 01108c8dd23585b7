import { expect } from "expect";
import fc from "fast-check";
import { redactWords } from "./redact.ts";

Deno.test("redactWords() leaves no secret in Envoy's words: plain, line by line, or out of base64", () => {
  const secret = fc.stringMatching(/^[a-zA-Z0-9/+=_-]{8,40}$/);
  fc.assert(fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.boolean(), (lines, encoded) => {
    const text = lines.join("\n");
    const given = encoded ? btoa(text) : text;
    const words = `Cannot use "${text}" or ${lines.join(" and ")} or ${given}`;
    const told = redactWords(words, [given]);
    for (const line of lines) expect(told).not.toContain(line);
  }));
});

Deno.test("redactWords() makes one line of bounded length", () => {
  expect(redactWords("a\n  b\t c ", [])).toBe("a b c");
  expect(redactWords("x".repeat(10_000), []).length).toBeLessThanOrEqual(600);
  expect(redactWords("the key abc stays, since it is too short to be a secret", ["abc"])).toContain("abc");
});
