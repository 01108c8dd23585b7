import { isLoopback } from "../../bootstrap/mod.ts";
import type { FindingLog, Logger, Metrics } from "../../telemetry/mod.ts";
import { clientStatuses, type Hub } from "../../xds/mod.ts";
import { type Bind, serveXds } from "../../xds/server/mod.ts";
import type { XdsStatus } from "../admin/mod.ts";
import type { StandaloneOptions } from "./options.ts";
import { certificateStatus, TlsFiles } from "./tls_files.ts";
import type { TlsPaths } from "./xds_security.ts";

/** The xDS server with its certificate files. */
export interface StandaloneXds {
  readonly address: string;
  status(): XdsStatus;
  close(): Promise<void>;
}

/** Options of {@linkcode startXds}. */
export interface StandaloneXdsOptions {
  readonly options: Pick<StandaloneOptions, "xdsBind" | "drainTimeout">;
  readonly security: TlsPaths | undefined;
  readonly hub: Hub;
  readonly findings: FindingLog;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Binds the xDS server; with TLS, new certificates are taken for new connections as soon as the files change. */
export async function startXds(
  { options, security, hub, findings, log, metrics }: StandaloneXdsOptions,
): Promise<StandaloneXds> {
  const files = security && new TlsFiles(security);
  const { xdsBind } = options;
  const bind: Bind = xdsBind.kind === "unix" ? { unix: xdsBind.path } : { host: xdsBind.host, port: xdsBind.port };
  if (!files && !isLoopback(xdsBind)) {
    log.warn("xDS is served in plain text: whoever reaches it can read the secrets that are served");
  }
  let material = await files?.read();
  const xds = await serveXds({
    bind,
    handler: hub,
    csds: { clients: () => clientStatuses(hub) },
    log,
    ...(material && { tls: material }),
  });
  const stopWatching = files?.watch((read) => {
    const about = files.paths.cert;
    if ("problem" in read) {
      metrics.count("chancery_tls_reloads_total", { result: "failed" });
      findings.report("tls", [{ about, finding: { severity: "error", path: [], rule: "tls", message: read.problem } }]);
      return;
    }
    const problems = xds.updateTls(read.material);
    findings.report("tls", problems.map((finding) => ({ about, finding })));
    const refused = problems.some((finding) => finding.severity === "error");
    metrics.count("chancery_tls_reloads_total", { result: refused ? "refused" : "ok" });
    if (refused) return;
    material = read.material;
    log.info("The certificate was reloaded", certificateStatus(material));
  });
  return {
    address: xds.address,
    status: () => ({ address: xds.address, ...(material && { tls: certificateStatus(material) }) }),
    async close() {
      await stopWatching?.();
      await xds.close({ deadlineMs: options.drainTimeout });
    },
  };
}
