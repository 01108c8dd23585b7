import { ChanceryError, type Clock, errorMessage } from "../../base/mod.ts";
import type { ReplicasOf } from "../../reconcile/certificate/mod.ts";
import { type LeaseConnection, ReplicaReports, TRUST_BUNDLE_ANNOTATION } from "../../store/kubernetes/lease/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** The Leases of the replicas that DiscoveryServices are made of. */
const SELECTOR = "chancery.dev/role=discovery-service,chancery.dev/group=chancery-discovery-service";
const REQUEST_MS = 5_000;
/** Longer than the pause between two looks of somebody who waits, shorter than nobody's business. */
const FORGET_AFTER_MS = 30_000;

/** Who has not told that it trusts a new CA when nobody may be looked at: it is waited for as for a replica that says nothing. */
const UNSEEN = { name: "the replicas of the discovery service, whose Leases cannot be read", bundle: undefined };

/** Asks the replicas of a namespace, by their Leases, what they trust. */
export function replicaBundles(
  { connection, clock, log }: { connection: LeaseConnection; clock: Pick<Clock, "monotonic">; log: Logger },
): ReplicasOf {
  const reports = new ReplicaReports({
    ...{ connection, clock, selector: SELECTOR },
    ...{ timeoutMs: REQUEST_MS, forgetAfterMs: FORGET_AFTER_MS },
  });
  return async (namespace) => {
    try {
      const replicas = await reports.of(namespace);
      return replicas.map(({ name, annotations }) => ({ name, bundle: annotations[TRUST_BUNDLE_ANNOTATION] }));
    } catch (thrown) {
      if (!(thrown instanceof ChanceryError && thrown.code === "forbidden")) throw thrown;
      log.warn("Cannot see what the replicas of a discovery service trust", { namespace, error: errorMessage(thrown) });
      return [UNSEEN];
    }
  };
}
