import type { CertificateRotation } from "../../api/operator/mod.ts";
import type { RotationStatus } from "../../pki/mod.ts";
import { timeText } from "./status.ts";

/**
 * What is remembered of a CA, as it is read from the status. `undefined` when it is missing or damaged: it is then found out anew
 * from what the bundles hold.
 */
export function readRotation(stored: CertificateRotation | undefined): RotationStatus | undefined {
  if (!stored) return undefined;
  const { phase, current, earlier = [], told } = stored;
  const since = Date.parse(stored.since);
  const lastSigned = Date.parse(stored.lastSigned);
  const until = earlier.map((root) => Date.parse(root.until));
  if ([since, lastSigned, ...until].some(Number.isNaN)) return undefined;
  const toldSince = told && Date.parse(told.since);
  return {
    ...{ phase, since, current, lastSigned },
    earlier: earlier.map(({ fingerprint }, index) => ({ fingerprint, until: until[index]! })),
    ...(told && toldSince !== undefined && !Number.isNaN(toldSince) && {
      told: { bundle: told.bundle, since: toldSince },
    }),
  };
}

/** The same as it is written; times are rounded up, so that nothing happens too early. */
export function writeRotation(
  { phase, since, current, lastSigned, earlier, told }: RotationStatus,
): CertificateRotation {
  return {
    ...{ phase, since: timeText(since), current, lastSigned: timeText(lastSigned) },
    ...(earlier.length > 0 && {
      earlier: earlier.map(({ fingerprint, until }) => ({ fingerprint, until: timeText(until) })),
    }),
    ...(told && { told: { bundle: told.bundle, since: timeText(told.since) } }),
  };
}
