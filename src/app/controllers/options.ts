import type { LogOptions, ProcessAddresses } from "../process/mod.ts";
import type { LeaseOptions } from "../replica/mod.ts";

/** What every role that looks after objects of a cluster is started with; times in milliseconds. */
export interface ControllersOptions extends LogOptions, ProcessAddresses, LeaseOptions {
  /** Whether replicas elect one that writes; without it this is the only one. */
  readonly leaderElect: boolean;
  /** Each object is looked at after so long at the latest. */
  readonly resyncPeriod: number;
  /** Namespaces to look after; all of them when empty. */
  readonly watchNamespace: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Whether the webhook's certificate is looked after, and where what concerns it is. */
export interface WebhookCertificateOptions {
  /** The Service that the API server calls, in the namespace of the Leases; undefined to leave its certificate alone. */
  readonly webhookService: string | undefined;
  /** The Secret that the webhook's pods mount. */
  readonly webhookSecret: string;
  readonly webhookMutatingConfiguration: string;
  readonly webhookValidatingConfiguration: string;
  /** How long all replicas have to show another certificate before the earlier one is trusted no longer; in milliseconds. */
  readonly webhookRetireDelay: number;
}

/** How certificates are issued. */
export interface CertificateOptions extends WebhookCertificateOptions {
  /** Whether a CA has to allow each further namespace that it signs for. */
  readonly crossNamespaceIssuers: "warn" | "strict";
}
