import { type Clock, errorMessage, type Finding, wait } from "../../base/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";
import {
  certificateStatus,
  readTlsFiles,
  type ServerMaterial,
  type ServerTlsFiles,
  watchTlsFiles,
} from "../../xds/server/tls/mod.ts";

/** Options of the functions of this file. */
export interface CertificateOptions {
  readonly files: ServerTlsFiles;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** How often to look for a certificate that is not there yet. */
const LOOK_MS = 1_000;

/**
 * Resolves once there is a certificate that can be used: it may be made only after this process has started. What is missing is
 * told when it changes. Rejects with the signal's reason.
 */
export async function firstCertificate(
  { files, clock, signal, log }: CertificateOptions,
  onMissing: (why: string) => void,
): Promise<ServerMaterial> {
  for (let told = ""; true;) {
    signal.throwIfAborted();
    try {
      const material = await readTlsFiles(files);
      log.info("The certificate was loaded", certificateStatus(material));
      return material;
    } catch (thrown) {
      const why = errorMessage(thrown);
      if (why !== told) log.warn("There is no certificate yet", { error: why });
      onMissing(told = why);
    }
    await wait(LOOK_MS, { clock, signals: [signal] });
  }
}

/** Hands over each new certificate that can be used; of others it is told, and the last good one stays. */
export function followCertificate(
  current: ServerMaterial,
  { files, clock, signal, log, metrics }: CertificateOptions,
  onChange: (material: ServerMaterial) => void,
): void {
  const tell = (findings: readonly Finding[]) => findings.forEach(({ message }) => log.warn(message));
  watchTlsFiles({
    ...files,
    current,
    clock,
    signal,
    onChange(material, findings) {
      tell(findings);
      onChange(material);
      metrics.count("chancery_tls_reloads_total", { result: "ok" });
      log.info("The certificate was reloaded", certificateStatus(material));
    },
    onBad(findings) {
      tell(findings);
      metrics.count("chancery_tls_reloads_total", { result: "refused" });
    },
  });
}

/** SHA-256 of the certificate that is shown, lower-case hex, as everybody else writes it. */
export function fingerprintOf(material: ServerMaterial): string {
  return certificateStatus(material).fingerprint.replaceAll(":", "").toLowerCase();
}
