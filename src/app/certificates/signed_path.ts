import { type CertificateFacts, certificatesIn, type PairReading } from "../../pki/mod.ts";
import { signerOf } from "../../pki/crypto/mod.ts";

/** No chain of ours is longer, and what signs each other in a circle is none. */
const LONGEST = 8;

/** The certificate that a Secret holds, the one that has signed it, and so on, as far as the Secret holds them. */
export function signedPath(reading: PairReading): readonly CertificateFacts[] {
  const { chain: [leaf, ...more], trusted = [] } = certificatesIn(reading) ?? { chain: [] };
  if (!leaf) return [];
  const path = [leaf];
  // Of several with one key the trusted one is meant.
  const candidates = [...trusted, ...more];
  for (let last = leaf; !last.selfSigned && path.length < LONGEST;) {
    const next = signerOf(
      last,
      candidates.filter((one) => !path.some(({ fingerprint }) => fingerprint === one.fingerprint)),
    );
    if (!next) break;
    path.push(last = next);
  }
  return path;
}
