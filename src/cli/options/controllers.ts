import type { OptionTable } from "../option.ts";
import { LEASE_OPTIONS } from "./leases.ts";

/** Options of the roles that look after objects: who of several replicas does. */
export const CONTROLLER_OPTIONS = {
  leaderElect: {
    type: "flag",
    help: "Let replicas elect one that writes; without it there must be no other replica",
  },
  ...LEASE_OPTIONS,
  resyncPeriod: {
    type: "duration",
    default: "10m",
    help: "How often each object is looked at though nothing has changed",
  },
} as const satisfies OptionTable;

/** Whether the webhook's certificate is looked after, and where what concerns it is. */
const WEBHOOK_CERTIFICATE_OPTIONS = {
  webhookService: {
    type: "text",
    value: "NAME",
    help:
      "Service of the webhook, in the namespace of the Leases, whose certificate is looked after as well; none when absent",
  },
  webhookSecret: {
    type: "text",
    value: "NAME",
    default: "chancery-webhook-tls",
    help: "Secret for the webhook's certificate, which its pods mount",
  },
  webhookMutatingConfiguration: {
    type: "text",
    value: "NAME",
    default: "marin3r-mutating-webhook-configuration",
    help: "MutatingWebhookConfiguration that is to trust it",
  },
  webhookValidatingConfiguration: {
    type: "text",
    value: "NAME",
    default: "marin3r-validating-webhook-configuration",
    help: "ValidatingWebhookConfiguration that is to trust it",
  },
  webhookRetireDelay: {
    type: "duration",
    default: "2m",
    help: "How long all replicas have to show another one before the earlier one is trusted no longer; more than the " +
      "kubelets leave an old Secret in a volume",
  },
} as const satisfies OptionTable;

/** How certificates are issued. */
export const CERTIFICATE_OPTIONS = {
  ...WEBHOOK_CERTIFICATE_OPTIONS,
  crossNamespaceIssuers: {
    type: "choice",
    choices: ["warn", "strict"],
    default: "warn",
    help:
      "What becomes of certificates of a CA in another namespace that does not allow it by its annotation: renewed with " +
      "a warning, or refused; none is issued for the first time",
  },
} as const satisfies OptionTable;
