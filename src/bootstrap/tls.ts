import { ChanceryError, type Json } from "../base/mod.ts";
import { type Address, isIp } from "./address/mod.ts";
import type { BootstrapFile } from "./bootstrap.ts";

/** Where an Envoy finds its certificates. */
export interface TlsFiles {
  /** Absolute directory that holds `tls.crt`, `tls.key` and, unless it is named, `ca.crt`. */
  readonly dir: string;
  /** Absolute path of what the server is verified by; `null`: it is not, which is for whoever has nothing to verify it by. */
  readonly caFile?: string | null;
  /** Absolute directory of the SDS files; the same as `dir` when absent. */
  readonly sdsDir?: string;
  /** Name that the server's certificate must have, in place of the hosts that are dialled. */
  readonly serverName?: string;
}

/** SDS names and files. MARIN3R calls the client's certificate so, too. */
const CLIENT_CERTIFICATE = { name: "xds_client_certificate", file: "xds_client_certificate.json" };
const TRUSTED_CA = { name: "xds_trusted_ca", file: "xds_trusted_ca.json" };

const SECRET = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

/**
 * The files that name the certificates. Their resources watch the directory, so that a swap (a symlink, as the kubelet does,
 * or a file moved over another) takes effect without a restart; Envoy watches nothing that is not delivered by SDS.
 */
export function sdsFiles(tls: TlsFiles): readonly BootstrapFile[] {
  const watched_directory = { path: tls.dir };
  const clientCertificate: Json = {
    "@type": SECRET,
    name: CLIENT_CERTIFICATE.name,
    tls_certificate: {
      certificate_chain: { filename: `${tls.dir}/tls.crt` },
      private_key: { filename: `${tls.dir}/tls.key` },
      watched_directory,
    },
  };
  const client = { path: `${sdsDir(tls)}/${CLIENT_CERTIFICATE.file}`, document: { resources: [clientCertificate] } };
  const { caFile = `${tls.dir}/ca.crt` } = tls;
  if (caFile === null) return [client];
  const trustedCa: Json = {
    "@type": SECRET,
    name: TRUSTED_CA.name,
    validation_context: {
      trusted_ca: { filename: caFile },
      watched_directory: { path: caFile.slice(0, caFile.lastIndexOf("/")) || "/" },
    },
  };
  return [client, { path: `${sdsDir(tls)}/${TRUSTED_CA.file}`, document: { resources: [trustedCa] } }];
}

/**
 * TLS towards the control plane. The server is verified, unless that is switched off: its certificate must be issued by `ca.crt`
 * and carry the name that is dialled (S1: an Envoy that checks nothing takes its configuration from anybody who answers).
 */
export function transportSocket(tls: TlsFiles, xds: readonly Address[]): Json {
  const names = serverNames(tls, xds);
  const hostNames = names.filter((name) => !isIp(name));
  // One name is told to the server; with several each connection tells its own.
  const sni = tls.serverName !== undefined || names.length === 1 ? hostNames[0] : undefined;
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
      ...(sni !== undefined ? { sni } : hostNames.length > 0 ? { auto_host_sni: true } : {}),
      common_tls_context: {
        tls_params: { tls_minimum_protocol_version: "TLSv1_2" },
        tls_certificate_sds_secret_configs: [sdsConfig(CLIENT_CERTIFICATE, tls)],
        ...(tls.caFile !== null && {
          combined_validation_context: {
            default_validation_context: {
              match_typed_subject_alt_names: names.map((name) => ({
                san_type: isIp(name) ? "IP_ADDRESS" : "DNS",
                matcher: { exact: name },
              })),
            },
            validation_context_sds_secret_config: sdsConfig(TRUSTED_CA, tls),
          },
        }),
      },
    },
  };
}

function serverNames(tls: TlsFiles, xds: readonly Address[]): readonly string[] {
  if (tls.serverName !== undefined) return [tls.serverName];
  const hosts = new Set<string>();
  for (const address of xds) {
    if (address.kind === "unix") {
      throw new ChanceryError(
        "invalid-input",
        `Cannot verify the server behind "unix:${address.path}": its certificate's name must be given`,
      );
    }
    hosts.add(address.host);
  }
  return [...hosts];
}

function sdsConfig(secret: { name: string; file: string }, tls: TlsFiles): Json {
  return {
    name: secret.name,
    sds_config: {
      path_config_source: { path: `${sdsDir(tls)}/${secret.file}`, watched_directory: { path: sdsDir(tls) } },
      resource_api_version: "V3",
    },
  };
}

function sdsDir(tls: TlsFiles): string {
  return tls.sdsDir ?? tls.dir;
}
