import { AUTHORITY_LABEL, type OpaqueSecretSource, type Secret, secretBytes, secretKeys } from "../../api/mod.ts";
import { suggest } from "../../base/mod.ts";
import { certificatesProblem, privateKeyProblem } from "./pem.ts";
import type { Resolved } from "./sources.ts";

/**
 * Whether key and certificate belong together: a message when they do not. Given from outside, because reading keys needs the
 * machine's crypto library.
 */
export type CheckKeyPair = (certificatePem: Uint8Array, keyPem: Uint8Array) => string | undefined;

/** `tls_certificate` called `name`, from `tls.crt` and `tls.key` of a Secret. */
export function resolveTlsCertificate(
  secret: Secret,
  { name, checkKeyPair }: { name: string; checkKeyPair?: CheckKeyPair | undefined },
): Resolved {
  if (isAuthority(secret)) return notUsable(secret, AUTHORITY);
  const certificate = secretBytes(secret, "tls.crt");
  const key = secretBytes(secret, "tls.key");
  if (!certificate) return keyMissing(secret, "tls.crt");
  if (!key) return keyMissing(secret, "tls.key");
  const problem = told("tls.crt", certificatesProblem(certificate)) ?? told("tls.key", privateKeyProblem(key)) ??
    checkKeyPair?.(certificate, key);
  if (problem !== undefined) return notUsable(secret, problem);
  return {
    value: { name, tls_certificate: { certificate_chain: inline(certificate), private_key: inline(key) } },
  };
}

/** `validation_context` called `name`, from `ca.crt` of a Secret, or from its `tls.crt` where there is none (W30). */
export function resolveValidationContext(secret: Secret, { name }: { name: string }): Resolved {
  const key = secretBytes(secret, "ca.crt") ? "ca.crt" : "tls.crt";
  const authority = secretBytes(secret, key);
  if (!authority) return notUsable(secret, `has neither ca.crt nor tls.crt${itHas(secret)}`);
  const problem = told(key, certificatesProblem(authority));
  if (problem !== undefined) return notUsable(secret, problem);
  return { value: { name, validation_context: { trusted_ca: inline(authority) } } };
}

/** `generic_secret` from one key of a Secret. A missing key is told, it is no empty secret (W30). */
export function resolveOpaqueSecret(secret: Secret, { key, alias }: OpaqueSecretSource): Resolved {
  if (isAuthority(secret) && key === "tls.key") return notUsable(secret, AUTHORITY);
  const bytes = secretBytes(secret, key);
  if (!bytes) return keyMissing(secret, key);
  return { value: { name: alias, generic_secret: { secret: inline(bytes) } } };
}

const AUTHORITY = "holds the key of a certificate authority, which is never served";

/** Whoever had such a key could make certificates for everybody (S3). */
function isAuthority({ metadata: { labels = {} } }: Secret): boolean {
  return Object.entries(AUTHORITY_LABEL).every(([name, value]) => labels[name] === value);
}

function inline(bytes: Uint8Array): { inline_bytes: string } {
  return { inline_bytes: bytes.toBase64() };
}

/** The Secret an item names does not exist. */
export function secretNotFound(name: string): Resolved {
  const message = `Secret ${JSON.stringify(name)} does not exist`;
  return { problem: { kind: "secret-not-found", message, secret: name } };
}

function notUsable(secret: Secret, what: string): Resolved {
  const message = `Secret ${JSON.stringify(secret.metadata.name)} ${what}`;
  return { problem: { kind: "secret-not-usable", message } };
}

function keyMissing(secret: Secret, key: string): Resolved {
  const keys = secretKeys(secret);
  if (keys.includes(key)) {
    return notUsable(secret, `has nothing under key ${JSON.stringify(key)}, or no valid base64`);
  }
  const near = suggest(key, keys);
  const hint = near === undefined ? itHas(secret) : `, perhaps ${JSON.stringify(near)} is meant`;
  return notUsable(secret, `has no key ${JSON.stringify(key)}${hint}`);
}

/** Names of keys are no secret; a Secret with very many shows the first. */
function itHas(secret: Secret): string {
  const keys = secretKeys(secret);
  if (keys.length === 0) return ", it is empty";
  const shown = keys.slice(0, 5).map((key) => JSON.stringify(key)).join(", ");
  return `, it has ${shown}${keys.length > 5 ? " …" : ""}`;
}

function told(key: string, what: string | undefined): string | undefined {
  return what === undefined ? undefined : `${what} under key ${JSON.stringify(key)}`;
}
