import type { Address } from "../../bootstrap/mod.ts";
import type { LogOptions, ProcessAddresses } from "../process/mod.ts";
import type { LeaseOptions } from "../replica/mod.ts";
import type { ClientAuthorization } from "./client_right.ts";

/** What a discovery service is started with; the command line's table makes it. Times in milliseconds. */
export interface DiscoveryServiceOptions extends LogOptions, ProcessAddresses, LeaseOptions {
  /** Port that Envoys connect to. */
  readonly xdssPort: number;
  /** Address of it; undefined for all. */
  readonly xdssHost: string | undefined;
  /** Directory with `tls.crt` and `tls.key`. */
  readonly serverCertificatePath: string;
  /** Directory with the certificate of the authority that clients' certificates come from. */
  readonly caCertificatePath: string;
  readonly insecureXds: boolean;
  /** Whether a client may only be the nodes that its certificate names. */
  readonly nodeIdFromCertificate: boolean;
  /** What the URIs in a client's certificate have to grant. */
  readonly clientAuthorization: ClientAuthorization;
  /** Whether clients without that are served all the same. */
  readonly clientAuthorizationWarn: boolean;
  /** Whether nothing but VirtualServices is served. */
  readonly virtualServicesOnly: boolean;
  /** Namespaces to serve; all of them when empty. */
  readonly watchNamespace: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Where the whole admin interface answers. */
  readonly adminBind: Address | undefined;
  readonly adminHost: readonly string[];
  readonly replicaName: string | undefined;
  readonly leaseName: string;
  readonly onDelete: "keep" | "empty";
  readonly removalDelay: number;
  readonly drainTimeout: number;
}
