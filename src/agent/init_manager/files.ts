import type { Json } from "../../base/mod.ts";
import {
  type Address,
  buildBootstrap,
  formatAddress,
  type Locality,
  parseAddress,
  type Readiness,
} from "../../bootstrap/mod.ts";

/** What an init manager is started with; the command line's table makes it. */
export interface InitManagerOptions {
  readonly xdssHost: string;
  readonly xdssPort: number;
  readonly mode: "delta" | "sotw";
  /** Left to Envoy's own flags when absent. */
  readonly nodeId: string | undefined;
  readonly cluster: string | undefined;
  /** What Envoy is started from. */
  readonly configFile: string;
  /** Directory of what Envoy is to read again. */
  readonly resourcesPath: string;
  /** Directory with `tls.crt` and `tls.key`. */
  readonly clientCertificatePath: string;
  /** What the server is verified by; it is not when absent. */
  readonly caCertificateFile: string | undefined;
  /** Milliseconds that this file may take to hold a certificate. */
  readonly caCertificateTimeout: number;
  readonly rtdsResourceName: string;
  readonly adminBindAddress: Address;
  /** Where everybody may see whether Envoy is ready, and its statistics; an empty host stands for all addresses. */
  readonly statusBindAddress: Address | undefined;
  readonly readiness: Readiness;
  readonly adminAccessLogPath: string;
  /** For the metadata of the node alone. */
  readonly envoyImage: string | undefined;
}

/** What is known of the pod that this runs in. */
export interface PodIdentity {
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly hostName: string;
  readonly locality: Locality;
  /** Whether its network has IPv6. */
  readonly ipv6: boolean;
}

/** The files that an Envoy of a pod is started from, in the order in which they are to be written. */
export function bootstrapFiles(
  options: InitManagerOptions,
  pod: PodIdentity,
): readonly { readonly path: string; readonly document: Json }[] {
  const { nodeId, cluster } = options;
  const { bootstrap, files } = buildBootstrap({
    ...(nodeId !== undefined && { nodeId }),
    ...(cluster !== undefined && { cluster }),
    // Dashboards and the discovery service know a pod by these.
    metadata: {
      pod_name: pod.podName,
      pod_namespace: pod.podNamespace,
      pod_uid: pod.podUid,
      host_name: pod.hostName,
      envoy_image: options.envoyImage ?? "",
      // Who writes this has ended when metrics are collected: the discovery service counts by it.
      verifies_discovery_service: String(options.caCertificateFile !== undefined),
    },
    locality: pod.locality,
    mode: options.mode,
    xds: [serverOf(options)],
    tls: {
      dir: options.clientCertificatePath,
      sdsDir: options.resourcesPath,
      caFile: options.caCertificateFile ?? null,
    },
    admin: options.adminBindAddress,
    adminAccessLog: options.adminAccessLogPath,
    ...(options.statusBindAddress && { status: { address: options.statusBindAddress, ipv6: pod.ipv6 } }),
    readiness: options.readiness,
    runtimeLayer: options.rtdsResourceName,
  });
  return [...files, { path: options.configFile, document: bootstrap }];
}

/** Looked at as a whole, so that what Envoy would refuse is told here. */
function serverOf({ xdssHost, xdssPort }: InitManagerOptions): Address {
  const host = xdssHost.replace(/^\[(.*)\]$/, "$1");
  return parseAddress(formatAddress({ kind: "tcp", host, port: xdssPort }));
}
