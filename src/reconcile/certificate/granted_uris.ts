import type { DiscoveryServiceCertificateSpec } from "../../api/operator/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";

/**
 * The URIs of a client certificate. Only who is asked for a right shows one: otherwise nobody's certificate would stay as it is when
 * an older program is replaced. Where nobody asks any more what `live` shows stays: pods that still ask are only being replaced, and
 * nothing is issued again for a rule that is gone.
 */
export function grantedUris(
  live: WatchedObject | undefined,
  { wanted }: { wanted: readonly string[] | undefined },
): readonly string[] | undefined {
  const { uris } = (live?.spec ?? {}) as Partial<DiscoveryServiceCertificateSpec>; // a certificate, by its kind
  return wanted ?? (uris?.length ? uris : undefined);
}
