import type { Json } from "../../base/mod.ts";
import { type Address, buildBootstrap } from "../../bootstrap/mod.ts";

/** What an init manager is started with; the command line's table makes it. */
export interface InitManagerOptions {
  readonly xdssHost: string;
  readonly xdssPort: number;
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
  readonly rtdsResourceName: string;
  readonly adminBindAddress: Address;
  readonly adminAccessLogPath: string;
  /** For the metadata of the node alone. */
  readonly envoyImage: string;
}

/** Where the pod is that this runs in. */
export interface PodIdentity {
  readonly podName: string;
  readonly podNamespace: string;
  readonly hostName: string;
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
      host_name: pod.hostName,
      envoy_image: options.envoyImage,
    },
    xds: [{ kind: "tcp", host: options.xdssHost, port: options.xdssPort }],
    tls: {
      dir: options.clientCertificatePath,
      sdsDir: options.resourcesPath,
      caFile: options.caCertificateFile ?? null,
    },
    admin: options.adminBindAddress,
    adminAccessLog: options.adminAccessLogPath,
    waitForConfiguration: true,
    runtimeLayer: options.rtdsResourceName,
  });
  return [...files, { path: options.configFile, document: bootstrap }];
}
