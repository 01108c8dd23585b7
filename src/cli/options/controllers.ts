import type { OptionTable } from "../option.ts";

/** Options of the roles that look after objects: who of several replicas does. */
export const CONTROLLER_OPTIONS = {
  leaderElect: {
    type: "flag",
    help: "Let replicas elect one that writes; without it there must be no other replica",
  },
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
  resyncPeriod: {
    type: "duration",
    default: "10m",
    help: "How often each object is looked at though nothing has changed",
  },
  leaseRetryPeriod: { type: "duration", default: "2s", help: "How often Leases are looked at" },
} as const satisfies OptionTable;

/** How certificates are issued. */
export const CERTIFICATE_OPTIONS = {
  crossNamespaceIssuers: {
    type: "choice",
    choices: ["warn", "strict"],
    default: "warn",
    help:
      "What becomes of certificates of a CA in another namespace that does not allow it by its annotation: renewed with " +
      "a warning, or refused; none is issued for the first time",
  },
} as const satisfies OptionTable;
