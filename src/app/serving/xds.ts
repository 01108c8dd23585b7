import { type Clock, type Finding, hasErrors } from "../../base/mod.ts";
import type { Address } from "../../bootstrap/mod.ts";
import type { FindingLog, Logger, Metrics } from "../../telemetry/mod.ts";
import { clientStatuses, type Hub, type XdsHandler } from "../../xds/mod.ts";
import {
  type Bind,
  checkTlsMaterial,
  memoryTrimmer,
  readTlsFiles,
  type RunningXds,
  serveXds,
  type TlsMaterial,
  watchTlsFiles,
} from "../../xds/server/mod.ts";
import { certificateStatus, trustedFingerprints } from "../../xds/server/tls/mod.ts";
import type { XdsStatus } from "../admin/mod.ts";
import { isLocal } from "./is_local.ts";

/** Files of the server's certificate. */
export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
  /** Whoever it issued a certificate to may connect. */
  readonly ca: string;
}

/** The xDS server with its certificate files. */
export interface ServedXds {
  readonly address: string;
  status(): XdsStatus;
  /** What the health service says. */
  setServing(serving: boolean): void;
  close(): Promise<void>;
}

/** Options of {@linkcode startXds}. */
export interface StartXdsOptions {
  readonly bind: Address;
  /** How long the end waits for open streams, in milliseconds. */
  readonly drainTimeout: number;
  readonly security: TlsPaths | undefined;
  readonly hub: Hub;
  /** Where streams go; the hub itself when absent. */
  readonly handler?: XdsHandler;
  /** Whether any client may ask what all clients hold (names and versions); default true. */
  readonly clientStatus?: boolean;
  /** Told which certificates clients' ones may come from: at the start, and whenever other files are served with. */
  readonly onTrust?: (fingerprints: readonly string[]) => void;
  readonly clock: Clock;
  readonly findings: FindingLog;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Binds the xDS server; with TLS, new certificates are taken for new connections as soon as the files change. */
export async function startXds(parts: StartXdsOptions): Promise<ServedXds> {
  const { bind: address, drainTimeout, security, hub, handler = hub, clientStatus = true, log } = parts;
  const bind: Bind = address.kind === "unix" ? { unix: address.path } : { host: address.host, port: address.port };
  if (!security && !isLocal(address)) {
    log.warn("xDS is served in plain text: whoever reaches it can read the secrets that are served");
  }
  const material = security && await readTlsFiles(filesOf(security));
  const xds = await serveXds({
    bind,
    handler,
    ...(clientStatus && { csds: { clients: () => clientStatuses(hub) } }),
    trimmer: memoryTrimmer(),
    log,
    ...(material && { tls: material }),
  });
  const ending = new AbortController();
  const current = security && material && followTls(xds, { ...parts, security, material, signal: ending.signal });
  return {
    address: xds.address,
    status: () => ({ address: xds.address, ...(current && { tls: certificateStatus(current()) }) }),
    setServing: (serving) => xds.setServing(serving),
    async close() {
      ending.abort();
      await xds.close({ deadlineMs: drainTimeout });
    },
  };
}

/** Gives the server what the files say from now on, and tells what cannot be used; gives what is in use. */
function followTls(
  xds: RunningXds,
  { security, material, signal, clock, findings, log, metrics, onTrust }: StartXdsOptions & {
    readonly security: TlsPaths;
    readonly material: TlsMaterial;
    readonly signal: AbortSignal;
  },
): () => TlsMaterial {
  let current = material;
  const report = (found: readonly Finding[]) =>
    findings.report("tls", found.map((finding) => ({ about: security.cert, finding })));
  report(checkTlsMaterial(material, clock.now()));
  onTrust?.(trustedFingerprints(material));
  watchTlsFiles({
    ...filesOf(security),
    current: material,
    clock,
    signal,
    onChange(next) {
      const found = xds.updateTls(next);
      report(found);
      metrics.count("chancery_tls_reloads_total", { result: hasErrors(found) ? "refused" : "ok" });
      if (hasErrors(found)) return;
      current = next;
      onTrust?.(trustedFingerprints(next));
      log.info("The certificate was reloaded", certificateStatus(current));
    },
    onBad(found) {
      report(found);
      metrics.count("chancery_tls_reloads_total", { result: "refused" });
    },
  });
  return () => current;
}

function filesOf({ cert, key, ca }: TlsPaths) {
  return { certFile: cert, keyFile: key, caFile: ca };
}
