import { ChanceryError } from "../../base/mod.ts";
import type { KubeConnection } from "../../store/kubernetes/mod.ts";
import { type LeaseTimes, leaseTimesProblem } from "../../store/kubernetes/lease/mod.ts";
import type { ServerHost } from "../process/mod.ts";

/** What a role that has Leases is started with; times in milliseconds. */
export interface LeaseOptions {
  /** Where the Leases are; that of the pod or the context when undefined. */
  readonly leaseNamespace: string | undefined;
  readonly leaseDuration: number;
  readonly leaseRenewDeadline: number;
  readonly leaseRetryPeriod: number;
}

/**
 * The times that were asked for.
 * @throws {ChanceryError} `invalid-input` when two could lead at a time with them
 */
export function leaseTimesOf(options: LeaseOptions): LeaseTimes {
  const { leaseDuration: durationMs, leaseRenewDeadline: renewDeadlineMs, leaseRetryPeriod: retryMs } = options;
  const times = { durationMs, renewDeadlineMs, retryMs };
  const problem = leaseTimesProblem(times);
  if (problem === undefined) return times;
  throw new ChanceryError("invalid-input", `Cannot elect a leader with these times (--lease-...): ${problem}`);
}

/** The namespace of the Leases. */
export function leaseNamespaceOf(
  { leaseNamespace }: Pick<LeaseOptions, "leaseNamespace">,
  { host, connection }: { readonly host: ServerHost; readonly connection: KubeConnection },
): string {
  return leaseNamespace ?? (host.env("POD_NAMESPACE") || connection.namespace);
}
