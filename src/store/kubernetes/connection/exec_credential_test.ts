import { expect } from "expect";
import { readCredential } from "./exec_credential.ts";

Deno.test("a credential is a token, or a certificate with its key, maybe with an end", () => {
  const read = (status: unknown) => readCredential(JSON.stringify({ kind: "ExecCredential", status }));
  expect(read({ token: "t" })).toEqual({ token: "t" });
  expect(read({ clientCertificateData: "c", clientKeyData: "k", expirationTimestamp: "2026-01-01T00:00:00Z" })).toEqual(
    {
      certificate: "c",
      key: "k",
      expiresAt: Date.parse("2026-01-01T00:00:00Z"),
    },
  );
  expect(read({ token: "t", expirationTimestamp: "never" })).toEqual({ token: "t" });
  for (const status of [undefined, null, {}, { token: "" }, { token: 1 }, { clientCertificateData: "c" }]) {
    expect(read(status)).toBeUndefined();
  }
  for (const text of ["", "no json", "null", "[]", "7"]) expect(readCredential(text)).toBeUndefined();
});
