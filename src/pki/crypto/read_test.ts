import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect } from "expect";
import * as fc from "fast-check";
import { alternativeNames, type WantedCertificate } from "../mod.ts";
import { issueCertificate } from "./issue.ts";
import { readCertificates, readPair, readPrivateKey } from "./read.ts";

const WANTED: WantedCertificate = {
  commonName: "x",
  names: alternativeNames(["x"]),
  isCA: false,
  server: true,
  validFor: 3600,
  algorithm: "ECDSA-P256",
};
const NOW = Date.parse("2026-03-04T05:06:07Z");

function random(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function pem(key: KeyObject, type: "pkcs8" | "sec1" | "pkcs1"): string {
  return key.export({ type, format: "pem" }) as string; // text, since the format is PEM
}

const EC = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const EC_PARAMETERS = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

for (
  const [name, key, text] of [
    ["PKCS #8 on a curve", EC, pem(EC, "pkcs8")],
    ["SEC 1", EC, pem(EC, "sec1")],
    ["SEC 1 after its parameters", EC, EC_PARAMETERS + pem(EC, "sec1")],
    ["PKCS #8 of RSA", RSA, pem(RSA, "pkcs8")],
    ["PKCS #1", RSA, pem(RSA, "pkcs1")],
    ["PKCS #8 with Windows line ends", RSA, pem(RSA, "pkcs8").replaceAll("\n", "\r\n")],
    ["P-384", undefined, pem(generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey, "pkcs8")],
    ["Ed25519", undefined, pem(generateKeyPairSync("ed25519").privateKey, "pkcs8")],
  ] as const
) {
  Deno.test(`readPrivateKey() reads ${name}, and it can sign`, async () => {
    const read = readPrivateKey(bytes(text));
    if (typeof read === "string") throw new Error(read);
    if (key) expect(pem(read, "pkcs8")).toBe(pem(key, "pkcs8"));
    const ca = await issueCertificate({ ...WANTED, isCA: true }, { now: NOW, random, key: bytes(text) });
    const issuer = { certificate: bytes(ca.certificate), key: bytes(text) };
    const leaf = await issueCertificate(WANTED, { now: NOW, random, issuer });
    expect(leaf.facts.selfSigned).toBe(false);
  });
}

Deno.test("readPrivateKey() says of an encrypted key that it is encrypted", () => {
  const options = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" } as const;
  let encrypted: string;
  try {
    encrypted = EC.export(options) as string; // text, since the format is PEM
  } catch {
    encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
  }
  expect(readPrivateKey(bytes(encrypted))).toBe("encrypted");
  const legacy = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n" +
    "-----END RSA PRIVATE KEY-----\n";
  expect(readPrivateKey(bytes(legacy))).toBe("encrypted");
});

Deno.test("readCertificates() reads a chain, text around it, and nothing when one of it is broken", async () => {
  const one = await issueCertificate(WANTED, { now: NOW, random });
  const two = await issueCertificate(WANTED, { now: NOW, random });
  const chain = `subject=CN = x\n${one.certificate}\n# comment\n${two.certificate.replaceAll("\n", "\r\n")}`;
  expect(readCertificates(bytes(chain))).toEqual([one.facts, two.facts]);
  const broken = two.certificate.replace(/\n..../, "\nAAAA");
  expect(readCertificates(bytes(one.certificate + broken))).toBeUndefined();
  expect(readCertificates(bytes(""))).toBeUndefined();
});

Deno.test("C6: readPair() tells what is missing, unreadable or does not belong together", async () => {
  const one = await issueCertificate(WANTED, { now: NOW, random });
  const two = await issueCertificate(WANTED, { now: NOW, random });
  const read = (data: Record<string, string>) =>
    readPair((key) => data[key] === undefined ? undefined : bytes(data[key]));
  expect(read({})).toEqual({ kind: "incomplete", missing: ["tls.crt", "tls.key"] });
  expect(read({ "tls.crt": one.certificate })).toEqual({ kind: "incomplete", missing: ["tls.key"] });
  expect(read({ "tls.crt": "no pem", "tls.key": one.key }))
    .toEqual({ kind: "unreadable", problem: "tls.crt is no certificate that can be read" });
  expect(read({ "tls.crt": one.certificate, "tls.key": "no pem" }))
    .toEqual({ kind: "unreadable", problem: "tls.key is no private key that can be read" });
  expect(read({ "tls.crt": one.certificate, "tls.key": two.key })).toMatchObject({ kind: "pair", keyMatches: false });
  expect(read({ "tls.crt": one.certificate, "tls.key": one.key, "ca.crt": "no pem" }))
    .toMatchObject({ kind: "pair", keyMatches: true, trusted: undefined });
});

Deno.test("C6: readPair() answers whatever the bytes are, and never quotes them", async () => {
  const good = await issueCertificate(WANTED, { now: NOW, random });
  const texts = [good.certificate, good.key, good.certificate + good.key];
  const damaged = fc.tuple(fc.constantFrom(...texts), fc.nat(), fc.string({ maxLength: 5 })).map(([text, at, change]) =>
    bytes(text.slice(0, at % text.length) + change + text.slice(at % text.length + change.length))
  );
  const any = fc.oneof(damaged, fc.uint8Array({ maxLength: 200 }), fc.constant(bytes(good.certificate)));
  fc.assert(
    fc.property(fc.tuple(any, any, any), ([certificate, key, ca]) => {
      const reading = readPair((name) => name === "tls.crt" ? certificate : name === "tls.key" ? key : ca);
      if (reading.kind === "unreadable") expect(reading.problem).toMatch(/^tls\.(crt|key) is (no|encrypted)/);
      const key64 = createPrivateKey(good.key).export({ type: "pkcs8", format: "der" }).toString("base64");
      expect(JSON.stringify(reading)).not.toContain(key64.slice(40, 80));
    }),
    { numRuns: 500 },
  );
});
