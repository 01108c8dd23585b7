import { bundleName, type CertificateFacts } from "../../pki/mod.ts";
import type { FoundConfiguration, FoundPair, FoundReplica, WebhookCertificateInput } from "./inputs.ts";

/** Most that are trusted at a time: of more the first to end are forgotten, unless one of them is needed now. */
const MAX_ROOTS = 8;

/** A certificate with its key that can be shown, and who signed it. */
export interface UsablePair {
  readonly leaf: CertificateFacts;
  readonly root: CertificateFacts;
  /** What its Secret says is to be trusted. */
  readonly trusted: readonly CertificateFacts[];
}

/** What a Secret holds, when all of it can be used. */
export function usablePair(found: FoundPair | undefined): UsablePair | undefined {
  if (!found?.ours || found.reading.kind !== "pair" || !found.reading.keyMatches || !found.root) return undefined;
  const { chain: [leaf], trusted = [] } = found.reading;
  return { leaf, root: found.root, trusted };
}

/**
 * All that the API server has to trust at this moment: who signed what is shown and what will be, and those before, as long as
 * somebody may still show what they signed. Where the Secret is lost that is what is trusted already.
 */
export function wantedTrust(
  { secret, next, configurations }: Pick<WebhookCertificateInput, "secret" | "next" | "configurations">,
): readonly CertificateFacts[] {
  const [present, following] = [usablePair(secret), usablePair(next)];
  const found = configurations.flatMap(({ entries }) => entries.flatMap(({ trusted }) => trusted));
  const before = present?.trusted ?? following?.trusted ?? found;
  const all = [
    ...(present ? [present.root] : []),
    ...(following ? [following.root, ...following.trusted] : []),
    // Also those that have ended, by a clock that may go back.
    ...[...before].sort((a, b) => b.notAfter - a.notAfter),
  ];
  return [...new Map(all.map((root) => [root.fingerprint, root])).values()].slice(0, MAX_ROOTS);
}

/** Whether a configuration has the API server trust exactly these. */
export function isTrustedBy({ entries }: FoundConfiguration, roots: readonly CertificateFacts[]): boolean {
  const wanted = nameOf(roots);
  return entries.every(({ trusted }) => nameOf(trusted) === wanted);
}

/** Whether there are replicas, and all of them show this certificate. */
export function isServedBy(replicas: readonly FoundReplica[] | undefined, fingerprint: string): boolean {
  return replicas !== undefined && replicas.length > 0 &&
    replicas.every(({ certificate }) => certificate === fingerprint);
}

/** A name of a set of certificates. */
export function nameOf(certificates: readonly CertificateFacts[]): string {
  return bundleName(certificates.map(({ fingerprint }) => fingerprint));
}
