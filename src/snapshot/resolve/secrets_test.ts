import { expect } from "expect";
import { AUTHORITY_LABEL, type Secret } from "../../api/mod.ts";
import { resolveOpaqueSecret, resolveTlsCertificate, resolveValidationContext } from "./secrets.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMEVER0U=\n-----END CERTIFICATE-----\n";
const KEY = "-----BEGIN PRIVATE KEY-----\nMEtFWSE=\n-----END PRIVATE KEY-----\n";

function secret(parts: Partial<Secret>): Secret {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "edge" }, ...parts };
}

Deno.test("resolveTlsCertificate() asks the given check whether key and certificate belong together", () => {
  const pair = secret({ stringData: { "tls.crt": CERTIFICATE, "tls.key": KEY } });
  const asked: string[] = [];
  const checkKeyPair = (certificate: Uint8Array, key: Uint8Array) => {
    asked.push(new TextDecoder().decode(certificate), new TextDecoder().decode(key));
    return "holds a key of another certificate";
  };
  const { value, problem } = resolveTlsCertificate(pair, { name: "edge", checkKeyPair });
  expect(asked).toEqual([CERTIFICATE, KEY]);
  expect(value).toBe(undefined);
  expect(problem).toEqual({ kind: "secret-not-usable", message: 'Secret "edge" holds a key of another certificate' });
});

Deno.test("resolveTlsCertificate() takes stringData before data, and base64 from data", () => {
  const data = { "tls.crt": btoa(CERTIFICATE), "tls.key": btoa("old") };
  const { value } = resolveTlsCertificate(secret({ data, stringData: { "tls.key": KEY } }), { name: "x" });
  expect(value).toEqual({
    name: "x",
    tls_certificate: {
      certificate_chain: { inline_bytes: btoa(CERTIFICATE) },
      private_key: { inline_bytes: btoa(KEY) },
    },
  });
});

Deno.test("resolveTlsCertificate() takes a chain, text between blocks, and old key formats", () => {
  for (const label of ["RSA PRIVATE KEY", "EC PRIVATE KEY"]) {
    const key = `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${
      KEY.replaceAll("PRIVATE KEY", label)
    }`;
    const stringData = { "tls.crt": `subject=a\n${CERTIFICATE}\n${CERTIFICATE}`, "tls.key": key };
    expect(resolveTlsCertificate(secret({ stringData }), { name: "x" }).problem).toBe(undefined);
  }
});

Deno.test("S3: the key of a certificate authority is never served, whatever it is asked for as", () => {
  const stringData = { "tls.crt": CERTIFICATE, "tls.key": KEY, "ca.crt": CERTIFICATE };
  const authority = secret({ metadata: { name: "ca", labels: AUTHORITY_LABEL }, stringData });
  const problem = {
    kind: "secret-not-usable",
    message: 'Secret "ca" holds the key of a certificate authority, which is never served',
  };
  expect(resolveTlsCertificate(authority, { name: "x" })).toEqual({ problem });
  expect(resolveOpaqueSecret(authority, { name: "ca", key: "tls.key", alias: "x" })).toEqual({ problem });
  // What it is trusted by is for everybody.
  expect(resolveValidationContext(authority, { name: "x" }).problem).toBeUndefined();
  expect(resolveOpaqueSecret(authority, { name: "ca", key: "ca.crt", alias: "x" }).problem).toBeUndefined();
});
