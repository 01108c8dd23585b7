import { type Clock, errorMessage } from "../../base/mod.ts";
import { envoyRegistry, type Registry } from "../../envoy/mod.ts";
import { EnvoyConfigController, type SnapshotSink } from "../../reconcile/mod.ts";
import { type LocalStore, openLocalStore } from "../../store/local/mod.ts";
import { FindingLog, type Logger } from "../../telemetry/mod.ts";
import { type PrometheusMetrics, prometheusMetrics } from "../../telemetry/export/mod.ts";
import { clientReports, Hub, type StreamInfo } from "../../xds/mod.ts";
import { openEnvoyOpinion } from "./envoy_opinion.ts";
import { EnvoyOpinions } from "./envoy_opinions.ts";
import { findingsOfNode, findingsOfObjects, type Locate } from "./findings.ts";
import { checkKeyPair } from "./key_pair.ts";
import { observers } from "./observers.ts";
import type { StandaloneOptions } from "./options.ts";
import { storeFindings } from "./store_findings.ts";
import { xdsLog } from "./xds_log.ts";
import { XdsMetrics } from "./xds_metrics.ts";

/** Findings of the same change come within this time. */
const FINDINGS_DELAY_MS = 20;

/** Options of {@linkcode Core}. */
export interface CoreOptions {
  readonly options:
    & Pick<StandaloneOptions, "onDelete" | "removalDelay">
    & Partial<Pick<StandaloneOptions, "withEnvoy">>;
  /** Absolute path of the data directory. */
  readonly data: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The way from the store to the streams: store, controller, hub, and what they tell of themselves. Where objects come from and
 * who connects is added from outside.
 */
export class Core implements AsyncDisposable {
  readonly store: LocalStore;
  readonly registry: Registry = envoyRegistry();
  readonly hub: Hub;
  readonly controller: EnvoyConfigController;
  readonly findings: FindingLog;
  readonly prometheus: PrometheusMetrics = prometheusMetrics();
  readonly xdsMetrics = new XdsMetrics();
  /** What a real Envoy says, if one is to be asked. */
  readonly opinions: EnvoyOpinions | undefined;
  /** Where objects stand in files. Findings are told once this is set, since without a place they help little. */
  locate: Locate | undefined;
  readonly #parts: CoreOptions;
  readonly #ending = new AbortController();
  #cancelReport: (() => void) | undefined;

  /** Takes the data directory; throws `unavailable` when it cannot be used. */
  constructor(parts: CoreOptions) {
    const { options, data, clock, log } = this.#parts = parts;
    this.store = openLocalStore({ directory: data, clock });
    this.findings = new FindingLog(log);
    const tellController = ({ node }: StreamInfo) => this.controller.progressed(node.id);
    this.hub = new Hub({
      clock,
      policy: { removalDelayMs: options.removalDelay },
      observer: observers([this.xdsMetrics, xdsLog(log), { progressed: tellController, closed: tellController }]),
    });
    this.opinions = this.#openOpinions();
    this.controller = new EnvoyConfigController({
      store: this.store,
      registry: this.registry,
      clock,
      random: Math.random,
      shelf: this.store,
      checkKeyPair,
      sink: this.#sink(),
      clients: { reports: (nodeId) => clientReports(this.hub, nodeId) },
      replica: { name: "standalone", bootId: crypto.randomUUID() },
      onReport: (nodeId, report) => {
        this.opinions?.looked(nodeId, report);
        this.#looked(report?.findings.length ? "findings" : "ok");
      },
      onError: (group, { error, retryInMs }) => {
        log.warn("Cannot bring a configuration about", { group, error: errorMessage(error), retryInMs });
        this.#looked("failed");
      },
    });
  }

  /** Resolves once everything in the store is on offer. */
  async start(): Promise<void> {
    await this.controller.start(this.#ending.signal);
  }

  /** Tells what there is to mend now. */
  report(): void {
    const locate = this.locate ?? (() => undefined);
    this.findings.report("nodes", this.controller.reports().flatMap((report) => findingsOfNode(report, locate)));
    this.findings.report("objects", findingsOfObjects(this.controller.unusable(), locate));
    this.findings.report("envoy", this.opinions?.findings(locate) ?? []);
    this.findings.report("store", storeFindings(this.store.trouble, this.#parts.data));
  }

  /** The same a little later: one look for a burst of changes. */
  reportSoon(): void {
    if (!this.locate) return;
    this.#cancelReport ??= this.#parts.clock.after(FINDINGS_DELAY_MS, () => {
      this.#cancelReport = undefined;
      this.report();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelReport?.();
    this.locate = undefined;
    this.#ending.abort();
    this.hub.close();
    await this.opinions?.[Symbol.asyncDispose]();
    await this.store.close();
  }

  #openOpinions(): EnvoyOpinions | undefined {
    const { options: { withEnvoy: envoy }, data, clock } = this.#parts;
    if (envoy === undefined) return undefined;
    return new EnvoyOpinions({
      registry: this.registry,
      store: this.store,
      sources: (namespace) => this.controller.sources(namespace),
      clock,
      envoy,
      open: (envoy, signal) => openEnvoyOpinion(envoy, { registry: this.registry, data, signal }),
      onChange: () => this.reportSoon(),
    });
  }

  #sink(): SnapshotSink {
    const { options: { onDelete }, log } = this.#parts;
    return {
      set: (nodeId, snapshot, { retryRefused }) => {
        // Endpoints and rotated Secrets change a snapshot often, and never its revision.
        const known = this.hub.snapshot(nodeId)?.revision === snapshot.revision;
        log[known ? "debug" : "info"]("Published", { node: nodeId, revision: snapshot.revision });
        this.hub.set(nodeId, snapshot, { retryRefused });
      },
      gone: (nodeId) => {
        log.info("Configuration is gone", { node: nodeId, streams: onDelete });
        this.hub.remove(nodeId, onDelete);
      },
    };
  }

  #looked(result: "ok" | "findings" | "failed"): void {
    this.prometheus.metrics.count("chancery_node_looks_total", { result });
    this.reportSoon();
  }
}
