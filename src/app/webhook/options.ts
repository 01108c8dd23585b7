import type { NodeIdScope } from "../../webhook/mod.ts";
import type { LogOptions, ProcessAddresses } from "../process/mod.ts";

/** What a webhook is started with; the command line's table makes it. Times in milliseconds. */
export interface WebhookOptions extends LogOptions, ProcessAddresses {
  /** All addresses when undefined. */
  readonly webhookHost: string | undefined;
  readonly webhookPort: number;
  /** Directory of the certificate, and the names of the two files in it. */
  readonly tlsDir: string;
  readonly tlsCertName: string;
  readonly tlsKeyName: string;
  /** Empty for all. */
  readonly watchNamespace: readonly string[];
  readonly nodeIdScope: NodeIdScope;
  /** Image of this program, for the helpers of sidecars; without one no sidecars are injected. */
  readonly image: string | undefined;
  /** Image of Envoy for pods that name none; that of this version when undefined. */
  readonly envoyImage: string | undefined;
  /** The Service whose replica this is; undefined where nobody looks after its certificate. */
  readonly webhookService: string | undefined;
  /** Where this replica tells of itself; the namespace of the pod or the context when undefined. */
  readonly leaseNamespace: string | undefined;
  /** How long to go on answering once told to end. */
  readonly shutdownDelay: number;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly debug: boolean;
}
