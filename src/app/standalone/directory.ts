import { API_VERSION } from "../../api/mod.ts";
import { MESH_API_VERSION, withObserved } from "../../api/virtual_service/mod.ts";
import { ChanceryError, type Clock, type Finding, formatKey, type ObjectKey } from "../../base/mod.ts";
import { BOOTSTRAP } from "../../bootstrap/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import { admitEnvoyConfig, admitObject, type ItemCache } from "../../snapshot/mod.ts";
import { type DirectoryFinding, type DirectoryReport, openDirectory } from "../../store/directory/mod.ts";
import type { ApplyObject, EmbeddedStore } from "../../store/mod.ts";
import type { FindingLog, Logger, Metrics, OpenFinding } from "../../telemetry/mod.ts";
import type { ConfigStatus } from "../admin/mod.ts";
import type { Locate } from "../serving/mod.ts";
import type { StandaloneOptions } from "./options.ts";

/** The directory as the rest of a standalone sees it. */
export interface StandaloneDirectory {
  readonly locate: Locate;
  status(): ConfigStatus;
  /** Reads everything; resolves when the changes are in the store. */
  rescan(): Promise<void>;
  close(): Promise<void>;
}

/** Options of {@linkcode startDirectory}. */
export interface StandaloneDirectoryOptions {
  readonly options: Pick<StandaloneOptions, "config" | "allowEmpty">;
  readonly store: EmbeddedStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly findings: FindingLog;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Told after each scan: places in files may have moved. */
  onScan(): void;
}

const KINDS = [
  { apiVersion: API_VERSION, kind: "EnvoyConfig" },
  { apiVersion: "v1", kind: "Secret" },
  { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" },
  { apiVersion: MESH_API_VERSION, kind: "VirtualService" },
  { apiVersion: "v1", kind: "Pod", observed: true } as const,
];

/**
 * Starts to follow the directory; resolves after the first scan. A directory that cannot be read is only a finding when there
 * is something to serve meanwhile; at the very first start it is a mistake in the command line, thrown as `invalid-input`.
 */
export async function startDirectory(parts: StandaloneDirectoryOptions): Promise<StandaloneDirectory> {
  const { options: { config, allowEmpty }, store, clock, findings, log, metrics } = parts;
  const admission = new Admission(parts.registry);
  let last: DirectoryReport | undefined;
  const { directory, report } = await openDirectory({
    dir: config,
    store,
    clock,
    kinds: KINDS,
    allowEmpty,
    admit: (object) => admission.look(object),
    onReport(report) {
      last = report;
      admission.forget(report.removed);
      metrics.count("chancery_directory_scans_total", { result: resultOf(report) });
      findings.report("directory", report.findings.map((finding) => openFinding(finding, config)));
      parts.onScan();
      for (const key of report.applied) log.info("Taken from the directory", { object: formatKey(key) });
      for (const key of report.removed) {
        log.info("Removed, as it is no longer in the directory", { object: formatKey(key) });
      }
    },
  });
  const unreadable = report.findings.find((finding) => finding.rule === "folder" && finding.severity === "error");
  if (unreadable && report.files === 0 && report.objects === 0) {
    await directory.close();
    throw new ChanceryError("invalid-input", unreadable.message);
  }
  return {
    locate: (key, path) => directory.positionOf(key, path),
    status: () => ({
      dir: config,
      files: last?.files ?? 0,
      objects: last?.objects ?? 0,
      skipped: last?.skipped ?? {},
      ...(last && { scannedAt: new Date(last.at).toISOString() }),
    }),
    rescan: async () => void await directory.rescan(),
    close: () => directory.close(),
  };
}

/** What an admission webhook does in a cluster: an object with an error keeps its last good content. */
class Admission {
  readonly #registry: Registry;
  readonly #items = new Map<string, ItemCache>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  look(object: ApplyObject): readonly Finding[] {
    const staticClusters = [BOOTSTRAP.cluster];
    if (object.kind !== "EnvoyConfig") return admitObject(withObserved(object), { staticClusters });
    const id = formatKey(keyOf(object));
    const known = this.#items.get(id);
    const { findings, items } = admitEnvoyConfig(object, {
      registry: this.#registry,
      staticClusters,
      ...(known && { items: known }),
    });
    this.#items.set(id, items);
    return findings;
  }

  forget(keys: readonly ObjectKey[]): void {
    for (const key of keys) this.#items.delete(formatKey(key));
  }
}

function keyOf({ kind, metadata }: ApplyObject): ObjectKey {
  return { kind, namespace: metadata.namespace ?? "", name: metadata.name };
}

function resultOf({ stored, findings }: DirectoryReport): string {
  if (!stored) return "failed";
  return findings.length > 0 ? "findings" : "ok";
}

function openFinding({ object, ...finding }: DirectoryFinding, dir: string): OpenFinding {
  return { about: object ? formatKey(object) : finding.source?.file ?? dir, finding };
}
