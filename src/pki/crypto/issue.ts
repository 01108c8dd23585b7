import "reflect-metadata";
import { createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { ChanceryError } from "../../base/mod.ts";
import { type CertificateFacts, type KeyAlgorithm, type WantedCertificate, wantedUsages } from "../certificate.ts";
import { validityOf } from "../validity.ts";
import { pemText } from "./pem.ts";
import { readCertificates, readPrivateKey } from "./read.ts";

/** The organisation in the subject of everything we issue; part of what users of older programs may look for. */
const ORGANISATION = "marin3r.3scale.net";

/** Who signs: the certificate and its private key as their Secret holds them. */
export interface Issuer {
  /** PEM: the certificate of the key first, its own issuers after it. */
  readonly certificate: Uint8Array;
  /** PEM. */
  readonly key: Uint8Array;
}

/** A new certificate with its key, all PEM. */
export interface IssuedPair {
  /** The certificate, and after it the issuers between it and the root. */
  readonly certificate: string;
  /** PKCS #8. */
  readonly key: string;
  readonly facts: CertificateFacts;
}

/** Options of {@linkcode issueCertificate}. */
export interface IssueOptions {
  readonly now: number;
  /** So many random bytes. */
  readonly random: (count: number) => Uint8Array;
  /** Without one the certificate is signed by its own key. */
  readonly issuer?: Issuer;
  /** A private key in PEM to certify instead of a new one. */
  readonly key?: Uint8Array;
}

/** Makes a key and a certificate for it. */
export async function issueCertificate(wanted: WantedCertificate, options: IssueOptions): Promise<IssuedPair> {
  const issuer = options.issuer && readIssuer(options.issuer);
  const key = options.key ? privateKey(options.key, "the given key") : await newKey(wanted.algorithm);
  const signing = issuer ? issuer.key : key;
  const subjectKey = await importKey(key, "verify");
  const name = new Name([{ O: [{ utf8String: ORGANISATION }] }, { CN: [{ utf8String: wanted.commonName }] }]);
  const { notBefore, notAfter } = validityOf(wanted, { now: options.now, issuer: issuer?.facts });
  if (notAfter <= options.now) {
    throw new ChanceryError("invalid-input", `Cannot issue "${wanted.commonName}": its issuer has expired`);
  }
  const made = await X509CertificateGenerator.create({
    serialNumber: serialNumber(options.random),
    subject: name,
    issuer: issuer ? issuer.certificate.subjectName : name, // as it is in its certificate, byte by byte
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    publicKey: subjectKey,
    signingKey: await importKey(signing, "sign"),
    signingAlgorithm: algorithmOf(signing),
    extensions: [
      new BasicConstraintsExtension(wanted.isCA, undefined, true),
      new KeyUsagesExtension(keyUsages(wanted, key), true),
      ...usageExtensions(wanted),
      ...nameExtensions(wanted),
      await SubjectKeyIdentifierExtension.create(subjectKey, false, crypto),
      ...(issuer ? [await authorityKeyId(issuer.certificate)] : []),
    ],
  }, crypto);
  const text = pemText("CERTIFICATE", new Uint8Array(made.rawData).toBase64());
  const facts = readCertificates(new TextEncoder().encode(text))?.[0];
  if (!facts) throw new ChanceryError("internal", `Cannot read the certificate made for "${wanted.commonName}"`);
  return {
    certificate: text + (issuer?.intermediates ?? []).map(({ pem }) => pem).join(""),
    key: key.export({ type: "pkcs8", format: "pem" }) as string, // text, since the format is PEM
    facts,
  };
}

interface ReadIssuer {
  readonly facts: CertificateFacts;
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  /** What a client that trusts the root alone has to be shown. */
  readonly intermediates: readonly CertificateFacts[];
}

function readIssuer(issuer: Issuer): ReadIssuer {
  const chain = readCertificates(issuer.certificate);
  const facts = chain?.[0];
  if (!chain || !facts) {
    throw new ChanceryError("invalid-input", "Cannot read the issuer: tls.crt is no certificate that can be read");
  }
  if (!facts.isCA) throw new ChanceryError("invalid-input", "Cannot sign with the issuer: its certificate is no CA");
  return {
    facts,
    certificate: new X509Certificate(facts.pem),
    key: privateKey(issuer.key, "tls.key of the issuer"),
    intermediates: chain.filter(({ selfSigned }) => !selfSigned),
  };
}

function privateKey(bytes: Uint8Array, what: string): KeyObject {
  const key = readPrivateKey(bytes);
  if (typeof key === "string") throw new ChanceryError("invalid-input", `Cannot use ${what}: it is ${key}`);
  return key;
}

/** 127 random bits, never zero: RFC 5280 asks for positive and at most 20 octets, the CA/Browser Forum for 64 random bits. */
function serialNumber(random: (count: number) => Uint8Array): string {
  const bytes = Uint8Array.from(random(16));
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toHex();
}

function keyUsages(wanted: WantedCertificate, key: KeyObject): KeyUsageFlags {
  const authority = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign; // S9
  if (wanted.isCA && !wanted.server) return authority;
  // A key on a curve agrees on secrets by signing; only RSA encrypts them.
  const end = KeyUsageFlags.digitalSignature |
    (key.asymmetricKeyType === "rsa" ? KeyUsageFlags.keyEncipherment : 0);
  return wanted.isCA ? authority | end : end;
}

function usageExtensions(wanted: WantedCertificate): Extension[] {
  const usages = wantedUsages(wanted);
  return usages.length > 0 ? [new ExtendedKeyUsageExtension([...usages])] : [];
}

function nameExtensions({ names }: WantedCertificate): Extension[] {
  const all: JsonGeneralName[] = [
    ...names.dns.map((value) => ({ type: "dns" as const, value })),
    ...names.ips.map((value) => ({ type: "ip" as const, value })),
    ...names.uris.map((value) => ({ type: "url" as const, value })),
  ];
  return all.length > 0 ? [new SubjectAlternativeNameExtension(all)] : [];
}

/** The issuer's own key id where it has one; some have it computed in another way than we do. */
async function authorityKeyId(issuer: X509Certificate): Promise<Extension> {
  const own = issuer.getExtension(SubjectKeyIdentifierExtension);
  return own
    ? new AuthorityKeyIdentifierExtension(own.keyId)
    : await AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, crypto);
}

/** The library's types of Web Crypto parameters are its own. */
type SigningAlgorithm = { readonly name: string; readonly hash?: string; readonly namedCurve?: string };

const CURVES: Readonly<Record<string, { readonly curve: string; readonly hash: string }>> = {
  prime256v1: { curve: "P-256", hash: "SHA-256" },
  secp384r1: { curve: "P-384", hash: "SHA-384" },
  secp521r1: { curve: "P-521", hash: "SHA-512" },
};

function algorithmOf(key: KeyObject): SigningAlgorithm {
  if (key.asymmetricKeyType === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  if (key.asymmetricKeyType === "ed25519") return { name: "Ed25519" };
  const curve = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (key.asymmetricKeyType === "ec" && curve) return { name: "ECDSA", namedCurve: curve.curve, hash: curve.hash };
  throw new ChanceryError(
    "invalid-input",
    "Cannot use the private key: it is neither RSA, Ed25519 nor on a NIST curve",
  );
}

async function importKey(key: KeyObject, use: "sign" | "verify"): Promise<CryptoKey> {
  const der = use === "sign"
    ? key.export({ type: "pkcs8", format: "der" })
    : createPublicKey(key).export({ type: "spki", format: "der" });
  const format = use === "sign" ? "pkcs8" : "spki";
  return await crypto.subtle.importKey(format, new Uint8Array(der), algorithmOf(key), true, [use]);
}

function newKey(algorithm: KeyAlgorithm): Promise<KeyObject> {
  const { promise, resolve, reject } = Promise.withResolvers<KeyObject>();
  const done = (error: Error | null, _public: KeyObject, key: KeyObject) => error ? reject(error) : resolve(key);
  if (algorithm === "ECDSA-P256") generateKeyPair("ec", { namedCurve: "P-256" }, done);
  else generateKeyPair("rsa", { modulusLength: Number(algorithm.slice("RSA-".length)) }, done);
  return promise;
}
