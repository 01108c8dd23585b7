import type { Candidate } from "./election.ts";
import type { Lease } from "./lease.ts";
import { heldUntil, isHeld, sighted, type Sighting } from "./sighting.ts";

/** One replica's Lease, as it was seen. */
export interface SeenReplica {
  readonly lease: Lease;
  readonly sighting: Sighting;
}

/** All that is known of replicas, by name. */
export type SeenReplicas = ReadonlyMap<string, SeenReplica>;

/** How the Lease of a replica is called: this and the replica's name. */
export const REPLICA_LEASE_PREFIX = "chancery-replica-";

/** Annotation of a replica's Lease: what it trusts, as `bundleName` has it. Absent while it does not serve by mutual TLS. */
export const TRUST_BUNDLE_ANNOTATION = "chancery.dev/trust-bundle";

/** Annotation of a replica's Lease: fingerprint of the certificate that it shows. */
export const SERVED_CERTIFICATE_ANNOTATION = "chancery.dev/served-certificate";

/** Takes note of all Leases there are at `now`; what is not among them is gone. */
export function seenReplicas(before: SeenReplicas, leases: readonly Lease[], now: number): SeenReplicas {
  const seen = new Map<string, SeenReplica>();
  for (const lease of leases) {
    if (!lease.name.startsWith(REPLICA_LEASE_PREFIX)) continue;
    const name = lease.name.slice(REPLICA_LEASE_PREFIX.length);
    seen.set(name, { lease, sighting: sighted(before.get(name)?.sighting, lease, now) });
  }
  return seen;
}

/** Replicas that live, with their boot ids: whoever renews in time, and this one itself. Sorted by name. */
export function liveReplicas(seen: SeenReplicas, self: Candidate, now: number): ReadonlyMap<string, string> {
  const live = new Map([[self.name, self.bootId]]);
  for (const [name, { lease, sighting }] of seen) {
    if (name !== self.name && isHeld(lease, sighting, now)) live.set(name, lease.holder);
  }
  return new Map([...live].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Leases of replicas that have been dead for `afterMs`: nobody needs them. */
export function longDead(seen: SeenReplicas, self: Candidate, at: { now: number; afterMs: number }): readonly Lease[] {
  return [...seen].filter(([name, { lease, sighting }]) =>
    name !== self.name && at.now >= heldUntil(lease, sighting) + at.afterMs
  ).map(([, { lease }]) => lease);
}
