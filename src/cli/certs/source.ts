import type { CertificatesDocument, CertificatesQuery } from "../../app/certificates/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";

/** Where `chancery certs` looks, and whom it asks; `app/certificates` has it of a cluster. */
export interface CertSource {
  /** How messages call it. */
  readonly server: string;
  /** The namespace that is meant where none is named. */
  readonly namespace: string;
  list(query: CertificatesQuery): Promise<CertificatesDocument>;
  rotate(key: ObjectKey, options: { uid: string; fingerprint: string }): Promise<void>;
  distrust(key: ObjectKey, options: { uid: string; fingerprints: readonly string[] }): Promise<void>;
}
