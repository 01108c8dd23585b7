import { SERVICE_ACCOUNT_ISSUER } from "./component.ts";

/** For whom a token is. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Signs what TokenRequest would give. The API server gives none for less than ten minutes, so tests of tokens that run out make
 * their own.
 * @param privateKey PKCS #8, PEM
 */
export async function signToken(privateKey: string, subject: TokenSubject, lifetimeSeconds: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const { namespace, name, uid } = subject;
  const payload = {
    aud: [SERVICE_ACCOUNT_ISSUER],
    exp: now + lifetimeSeconds,
    iat: now,
    nbf: now,
    iss: SERVICE_ACCOUNT_ISSUER,
    jti: crypto.randomUUID(),
    sub: `system:serviceaccount:${namespace}:${name}`,
    "kubernetes.io": { namespace, serviceaccount: { name, uid } },
  };
  const der = Uint8Array.fromBase64(privateKey.replaceAll(/-----[^-]+-----|\s/g, ""));
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
  const encode = (value: unknown) => base64Url(new TextEncoder().encode(JSON.stringify(value)));
  const signed = `${encode({ alg: "ES256", typ: "JWT" })}.${encode(payload)}`;
  return `${signed}.${
    base64Url(new Uint8Array(await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(signed))))
  }`;
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
