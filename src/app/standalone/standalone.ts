import { join, resolve } from "node:path";
import { errorMessage, systemClock } from "../../base/mod.ts";
import { formatAddress } from "../../bootstrap/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import { EnvoyConfigController } from "../../reconcile/mod.ts";
import { openLocalStore } from "../../store/local/mod.ts";
import { FindingLog, type Logger } from "../../telemetry/mod.ts";
import { prometheusMetrics } from "../../telemetry/export/mod.ts";
import { Hub } from "../../xds/mod.ts";
import { type AdminActions, fullApp, readOnlyApp, serveAdmin, SOCKET_NAME, type XdsStatus } from "../admin/mod.ts";
import { type StandaloneDirectory, startDirectory } from "./directory.ts";
import { findingsOfNode, findingsOfObjects, type Locate } from "./findings.ts";
import { checkKeyPair } from "./key_pair.ts";
import { observers } from "./observers.ts";
import type { StandaloneHost, StandaloneOptions } from "./options.ts";
import { Overview } from "./overview.ts";
import { storeFindings } from "./store_findings.ts";
import { startXds } from "./xds.ts";
import { xdsLog } from "./xds_log.ts";
import { XdsMetrics } from "./xds_metrics.ts";
import { xdsSecurity } from "./xds_security.ts";

/** Findings of the same change come within this time. */
const FINDINGS_DELAY_MS = 20;

/** A standalone that serves. */
export interface RunningStandalone extends AsyncDisposable, AdminActions {
  /** Where the admin interface and the xDS server listen. */
  readonly addresses: { readonly admin: string; readonly xds: string };
  /** Number of node ids that are served. */
  readonly nodes: number;
}

/**
 * Puts a standalone together: store, controller, hub, directory, and last the xDS server, so that no Envoy is told of a state
 * that is still being loaded (rule 9). Disposing ends the parts in the opposite order. Throws what keeps it from starting.
 */
export async function startStandalone(
  options: StandaloneOptions,
  { host, log, signal }: { host: StandaloneHost; log: Logger; signal: AbortSignal },
): Promise<RunningStandalone> {
  const security = xdsSecurity(options);
  await using parts = new AsyncDisposableStack();
  const data = resolve(options.data);
  const clock = systemClock;

  const store = openLocalStore({ directory: data, clock });
  parts.defer(() => store.close());

  const findings = new FindingLog(log);
  const prometheus = prometheusMetrics();
  const xdsMetrics = new XdsMetrics();
  const hub = new Hub({
    clock,
    policy: { removalDelayMs: options.removalDelay },
    observer: observers([xdsMetrics, xdsLog(log)]),
  });
  parts.defer(() => hub.close());
  let xdsStatus: () => XdsStatus = () => ({});
  let directory: StandaloneDirectory | undefined = undefined;
  const locate: Locate = (key, path) => directory?.locate(key, path);
  const overview = new Overview({
    version: host.version,
    envoyApi: host.envoyApi,
    startedAt: new Date(),
    findings,
    prometheus,
    xdsMetrics,
    hub,
    storeTrouble: () => store.trouble,
    config: () => directory?.status() ?? { dir: options.config, files: 0, objects: 0, skipped: {} },
    xds: () => xdsStatus(),
  });

  const registry = envoyRegistry();
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  const controller = new EnvoyConfigController({
    store,
    registry,
    clock,
    random: Math.random,
    shelf: store,
    checkKeyPair,
    sink: {
      set: (nodeId, snapshot) => {
        log.info("Published", { node: nodeId, revision: snapshot.revision });
        hub.set(nodeId, snapshot, { retryRefused: true }); // there is nothing better to go back to
      },
      gone: (nodeId) => {
        log.info("Configuration is gone", { node: nodeId, streams: options.onDelete });
        hub.remove(nodeId, options.onDelete);
      },
    },
    onReport: (_nodeId, report) => {
      prometheus.metrics.count("chancery_node_looks_total", { result: report?.findings.length ? "findings" : "ok" });
      refresh();
    },
    onError: (group, { error, retryInMs }) => {
      prometheus.metrics.count("chancery_node_looks_total", { result: "failed" });
      log.warn("Cannot bring a configuration about", { group, error: errorMessage(error), retryInMs });
      refresh();
    },
  });
  function reportFindings(): void {
    findings.report("nodes", controller.reports().flatMap((report) => findingsOfNode(report, locate)));
    findings.report("objects", findingsOfObjects(controller.unusable(), locate));
    findings.report("store", storeFindings(store.trouble, data));
  }
  // Not before the directory is there, which knows the places; and one look for a burst of changes.
  let later: (() => void) | undefined;
  function refresh(): void {
    if (directory) later ??= clock.after(FINDINGS_DELAY_MS, () => (later = undefined, reportFindings()));
  }
  parts.defer(() => later?.());

  const admin = serveAdmin(readOnlyApp(overview, { allowedHosts: options.adminHost }), options.adminBind);
  parts.defer(() => admin.close());

  overview.pending = "the store is being loaded";
  await controller.start(ending.signal);
  overview.pending = "the directory is being read";
  const { metrics } = prometheus;
  directory = await startDirectory({ options, store, registry, clock, findings, log, metrics, onScan: refresh });
  parts.defer(() => directory?.close());
  await controller.idle();
  reportFindings();
  signal.throwIfAborted();

  const xds = await startXds({ options, security, hub, clock, findings, log, metrics });
  parts.defer(() => xds.close());
  xdsStatus = () => xds.status();

  const actions: AdminActions = {
    rescan: async () => {
      await directory?.rescan();
      await controller.idle();
      reportFindings();
    },
    backup: (path) => store.backup(path),
  };
  const socket = join(data, SOCKET_NAME);
  try {
    const control = serveAdmin(fullApp(overview, actions), { kind: "unix", path: socket });
    parts.defer(() => control.close());
  } catch (thrown) {
    // The path of a socket is short; a long data directory costs the socket, not the service.
    log.warn("Cannot offer the admin socket", { socket, error: errorMessage(thrown) });
  }

  overview.pending = undefined;
  parts.defer(() => void (overview.pending = "shutting down"));
  const running = parts.move();
  return {
    ...actions,
    addresses: { admin: formatAddress(admin.address), xds: xds.address },
    get nodes() {
      return controller.reports().filter((report) => report.revision !== "").length;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
