import { expect } from "expect";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createAuthority } from "./certificates.ts";

Deno.test("Authority issues certificates with names, for a key that fits", async () => {
  const authority = await createAuthority();
  const issued = await authority.issue({
    commonName: "edge",
    dns: ["a.test"],
    ips: ["127.0.0.1"],
    uris: ["spiffe://x/y"],
  });
  const certificate = new X509Certificate(issued.cert);
  expect(certificate.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
  expect(certificate.subject).toBe("CN=edge");
  expect(certificate.subjectAltName).toBe("DNS:a.test, IP Address:127.0.0.1, URI:spiffe://x/y");
});

Deno.test("Authority issues expired certificates on request", async () => {
  const issued = await (await createAuthority()).issue({ commonName: "old", notAfter: new Date(Date.now() - 60_000) });
  const { validFrom, validTo } = new X509Certificate(issued.cert);
  expect(Date.parse(validTo)).toBeLessThan(Date.now());
  expect(Date.parse(validFrom)).toBeLessThan(Date.parse(validTo));
});

Deno.test("two authorities of one name do not trust each other", async () => {
  const [one, other] = [await createAuthority(), await createAuthority()];
  const issued = await one.issue({ commonName: "edge" });
  expect(new X509Certificate(issued.cert).verify(new X509Certificate(other.cert).publicKey)).toBe(false);
});
