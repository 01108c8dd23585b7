import { expect } from "expect";
import { secretTexts } from "./secret_texts.ts";

Deno.test("secretTexts() gives a secret as it is, in base64 and in hex, and no certificate", () => {
  const document = {
    kind: "Secret",
    data: { "tls.crt": btoa("public"), "tls.key": btoa("-----BEGIN KEY-----\nabcdefghijklmnop\n") },
    stringData: { token: "canary-canary" },
  };
  const texts = secretTexts(document);
  expect(texts).toContain("abcdefghijklmnop");
  expect(texts).toContain("canary-canary");
  expect(texts).toContain(btoa("canary-canary"));
  expect(texts).toContain("63616e6172792d63616e617279");
  expect(texts.join()).not.toContain("public");
  expect(secretTexts({ kind: "ConfigMap", data: { a: "canary-canary" } })).toEqual([]);
});
