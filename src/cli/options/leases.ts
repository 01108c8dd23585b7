import type { OptionTable } from "../option.ts";

/** Where the Leases of a role lie and how long they last; the times are those of client-go. */
export const LEASE_OPTIONS = {
  leaseNamespace: {
    type: "text",
    value: "NAME",
    help: "Namespace of the Leases; $POD_NAMESPACE, or that of the pod or the context, when absent",
  },
  leaseDuration: {
    type: "duration",
    default: "15s",
    help: "How long others wait for a sign of life before they take over; whole seconds",
  },
  leaseRenewDeadline: {
    type: "duration",
    default: "10s",
    help: "How long the leader goes on leading when it cannot renew its Lease",
  },
  leaseRetryPeriod: { type: "duration", default: "2s", help: "How often Leases are looked at" },
} as const satisfies OptionTable;
