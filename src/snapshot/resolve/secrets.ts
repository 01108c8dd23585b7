import { type OpaqueSecretSource, type Secret, secretBytes, secretKeys } from "../../api/mod.ts";
import { suggest } from "../../base/mod.ts";
import { certificatesProblem, privateKeyProblem } from "./pem.ts";
import type { Resolved, SourceProblem, Sources } from "./sources.ts";

/**
 * Whether key and certificate belong together: a message when they do not. Given from outside, because reading keys needs the
 * machine's crypto library.
 */
export type CheckKeyPair = (certificatePem: Uint8Array, keyPem: Uint8Array) => string | undefined;

/** `tls_certificate` from `tls.crt` and `tls.key` of a Secret. */
export function resolveTlsCertificate(
  secretName: string,
  { sources, name, checkKeyPair }: { sources: Sources; name: string; checkKeyPair?: CheckKeyPair | undefined },
): Resolved {
  const secret = sources.secret(secretName);
  if (!secret) return notFound(secretName);
  const certificate = secretBytes(secret, "tls.crt");
  const key = secretBytes(secret, "tls.key");
  if (!certificate) return keyMissing(secret, "tls.crt");
  if (!key) return keyMissing(secret, "tls.key");
  const problem = told("tls.crt", certificatesProblem(certificate)) ?? told("tls.key", privateKeyProblem(key)) ??
    checkKeyPair?.(certificate, key);
  if (problem !== undefined) return notUsable(secretName, problem);
  return {
    value: { name, tls_certificate: { certificate_chain: inline(certificate), private_key: inline(key) } },
  };
}

/** `validation_context` from `ca.crt` of a Secret, or from its `tls.crt` where there is none (W30). */
export function resolveValidationContext(
  secretName: string,
  { sources, name }: { sources: Sources; name: string },
): Resolved {
  const secret = sources.secret(secretName);
  if (!secret) return notFound(secretName);
  const key = secretBytes(secret, "ca.crt") ? "ca.crt" : "tls.crt";
  const authority = secretBytes(secret, key);
  if (!authority) return notUsable(secretName, `has neither ca.crt nor tls.crt${itHas(secret)}`);
  const problem = told(key, certificatesProblem(authority));
  if (problem !== undefined) return notUsable(secretName, problem);
  return { value: { name, validation_context: { trusted_ca: inline(authority) } } };
}

/** `generic_secret` from one key of a Secret. A missing key is told, it is no empty secret (W30). */
export function resolveOpaqueSecret(source: OpaqueSecretSource, sources: Sources): Resolved {
  const secret = sources.secret(source.name);
  if (!secret) return notFound(source.name);
  const bytes = secretBytes(secret, source.key);
  if (!bytes) return keyMissing(secret, source.key);
  return { value: { name: source.alias, generic_secret: { secret: inline(bytes) } } };
}

function inline(bytes: Uint8Array): { inline_bytes: string } {
  return { inline_bytes: bytes.toBase64() };
}

function notFound(name: string): Resolved {
  return { problem: problem("secret-not-found", `Secret ${JSON.stringify(name)} does not exist`) };
}

function notUsable(name: string, what: string): Resolved {
  return { problem: problem("secret-not-usable", `Secret ${JSON.stringify(name)} ${what}`) };
}

function keyMissing(secret: Secret, key: string): Resolved {
  const keys = secretKeys(secret);
  if (keys.includes(key)) {
    return notUsable(secret.metadata.name, `has nothing under key ${JSON.stringify(key)}, or no valid base64`);
  }
  const near = suggest(key, keys);
  const hint = near === undefined ? itHas(secret) : `, perhaps ${JSON.stringify(near)} is meant`;
  return notUsable(secret.metadata.name, `has no key ${JSON.stringify(key)}${hint}`);
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

function problem(kind: SourceProblem["kind"], message: string): SourceProblem {
  return { kind, message };
}
