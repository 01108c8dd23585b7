import type { CertificateFacts } from "../../pki/mod.ts";
import { signerOf } from "../../pki/crypto/mod.ts";

/** So many answers are remembered; each is a signature that need not be checked again. */
const MOST = 10_000;

/** Who of several has signed a certificate. Signatures do not change, so each is checked once. */
export class Signers {
  readonly #known = new Map<string, boolean>();

  of(certificate: CertificateFacts, candidates: readonly CertificateFacts[]): CertificateFacts | undefined {
    return candidates.find((candidate) => this.#signed(certificate, candidate));
  }

  #signed(certificate: CertificateFacts, candidate: CertificateFacts): boolean {
    const id = `${certificate.fingerprint} ${candidate.fingerprint}`;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST) this.#known.clear();
    const signed = signerOf(certificate, [candidate]) !== undefined;
    this.#known.set(id, signed);
    return signed;
  }
}
