import { createPrivateKey, X509Certificate } from "node:crypto";

/** Whether a private key belongs to a certificate. Never repeats what the library says, which may quote the input. */
export function checkKeyPair(certificatePem: Uint8Array, keyPem: Uint8Array): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(certificatePem);
  } catch {
    return "tls.crt is no certificate that can be read";
  }
  try {
    const key = createPrivateKey({ key: new TextDecoder().decode(keyPem), format: "pem" });
    return certificate.checkPrivateKey(key) ? undefined : "tls.key does not belong to the certificate in tls.crt";
  } catch {
    return "tls.key is no private key that can be read";
  }
}
