import { certificateSettings, type DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import { formatKey, type ObjectKey } from "../../base/mod.ts";
import { keyOf, type ObjectEvent, type WatchedObject } from "../engine/object_source.ts";

/** The kind of certificates. */
export const CERTIFICATE = "DiscoveryServiceCertificate";

/** Which certificates there are, by the Secret that they are kept in and by the Secret of who signs them. */
export class CertificateIndex {
  readonly #certificates = new Map<string, { readonly own: string; readonly issuer: string | undefined }>();
  readonly #authorities = new Map<string, Set<string>>(); // by their Secret
  readonly #signed = new Map<string, Set<string>>(); // by the Secret of the issuer
  readonly #keys = new Map<string, ObjectKey>();

  /** Takes a change in; other kinds are none of its business. */
  take({ type, object }: ObjectEvent): void {
    if (object.kind !== CERTIFICATE) return;
    const key = keyOf(object);
    const id = formatKey(key);
    this.#forget(id);
    if (type === "deleted") return;
    const certificate = object as WatchedObject & DiscoveryServiceCertificate; // by its kind
    const { issuer } = certificateSettings(certificate);
    const own = formatKey(secretKeyOf(certificate));
    const signer = issuer && formatKey({ kind: "Secret", ...issuer });
    this.#certificates.set(id, { own, issuer: signer });
    this.#keys.set(id, key);
    if (isAuthority(certificate)) add(this.#authorities, own, id);
    if (signer !== undefined) add(this.#signed, signer, id);
  }

  /** The certificate authority that is kept in a Secret; of several the first by name, so that they do not fight. */
  authorityIn(secret: ObjectKey): ObjectKey | undefined {
    const [first] = [...this.#authorities.get(formatKey(secret)) ?? []].sort();
    return first === undefined ? undefined : this.#keys.get(first);
  }

  /** The certificates that are to be signed by what is in a Secret. */
  signedBy(secret: ObjectKey): ObjectKey[] {
    return [...this.#signed.get(formatKey(secret)) ?? []].sort().map((id) => this.#keys.get(id)!); // both are kept together
  }

  #forget(id: string): void {
    const known = this.#certificates.get(id);
    if (!known) return;
    this.#certificates.delete(id);
    this.#keys.delete(id);
    take(this.#authorities, known.own, id);
    if (known.issuer !== undefined) take(this.#signed, known.issuer, id);
  }
}

/** Whether a certificate is a CA that signs itself: its changes take several steps. */
export function isAuthority(certificate: DiscoveryServiceCertificate): boolean {
  const { isCA, issuer } = certificateSettings(certificate);
  return isCA && !issuer;
}

/** The Secret that a certificate is kept in. */
export function secretKeyOf(certificate: DiscoveryServiceCertificate): ObjectKey {
  const { namespace = "default" } = certificate.metadata;
  return { kind: "Secret", namespace, name: certificateSettings(certificate).secretName };
}

function add(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  if (set) set.add(id);
  else sets.set(key, new Set([id]));
}

function take(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  if (set?.delete(id) && set.size === 0) sets.delete(key);
}
