/**
 * Certificates for tests: a throw-away authority that issues what a test asks for.
 * @module
 */
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate and its private key, both PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate shall say. */
export interface CertificateRequest {
  /** Empty for a certificate without a subject, which has its other names alone. */
  readonly commonName: string;
  /** What Kubernetes takes for the group of a user. */
  readonly organization?: string;
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  readonly uris?: readonly string[];
  /** Default: one hour from now. A date in the past gives an expired certificate. */
  readonly notAfter?: Date;
  /** An RSA key of so many bits instead of one on an elliptic curve; Envoy refuses fewer than 2048. */
  readonly rsaBits?: number;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const HOUR_MS = 3_600_000;

/** A throw-away certificate authority. */
export class Authority implements IssuedCertificate {
  readonly cert: string;
  readonly key: string;
  readonly #certificate: X509Certificate;
  readonly #signingKey: CryptoKey;

  constructor(certificate: X509Certificate, signingKey: CryptoKey, key: string) {
    this.cert = `${certificate.toString("pem")}\n`;
    this.key = key;
    this.#certificate = certificate;
    this.#signingKey = signingKey;
  }

  /** Issues a certificate for both ends of a connection. */
  async issue(request: CertificateRequest): Promise<IssuedCertificate> {
    const keys = await generateKeys(request.rsaBits);
    const notAfter = request.notAfter ?? new Date(Date.now() + HOUR_MS);
    const names: JsonGeneralName[] = [
      ...(request.dns ?? []).map((value) => ({ type: "dns" as const, value })),
      ...(request.ips ?? []).map((value) => ({ type: "ip" as const, value })),
      ...(request.uris ?? []).map((value) => ({ type: "url" as const, value })),
    ];
    const extensions: Extension[] = [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    ];
    if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension(names));
    const certificate = await X509CertificateGenerator.create({
      subject: request.commonName === ""
        ? ""
        : `CN=${request.commonName}${request.organization ? `, O=${request.organization}` : ""}`,
      issuer: this.#certificate.subject,
      notBefore: new Date(Math.min(Date.now(), notAfter.getTime()) - HOUR_MS),
      notAfter,
      publicKey: keys.publicKey,
      signingKey: this.#signingKey,
      signingAlgorithm: ALGORITHM,
      extensions,
    });
    return { cert: `${certificate.toString("pem")}\n`, key: await keyPem(keys.privateKey) };
  }
}

async function generateKeys(rsaBits: number | undefined): Promise<CryptoKeyPair> {
  if (rsaBits === undefined) return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", publicExponent: new Uint8Array([1, 0, 1]) };
  return await crypto.subtle.generateKey({ ...rsa, modulusLength: rsaBits }, true, ["sign", "verify"]);
}

/** Makes an authority with a key of its own; two of the same name do not trust each other. */
export async function createAuthority(commonName = "Test CA"): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + 24 * HOUR_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return new Authority(certificate, keys.privateKey, await keyPem(keys.privateKey));
}

/** PKCS #8. */
async function keyPem(key: CryptoKey): Promise<string> {
  const base64 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)).toBase64();
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END PRIVATE KEY-----\n`;
}
