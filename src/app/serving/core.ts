import { type Clock, errorMessage } from "../../base/mod.ts";
import { envoyRegistry, type Registry } from "../../envoy/mod.ts";
import {
  EnvoyConfigController,
  type EnvoyConfigControllerOptions,
  type NodeReport,
  type ObjectStore,
  type Replica,
  type Shelf,
  type SnapshotSink,
} from "../../reconcile/mod.ts";
import { clientKeys, type ClientTrust, VirtualServiceController } from "../../reconcile/virtual_service/mod.ts";
import { FindingLog, type Logger, type OpenFinding } from "../../telemetry/mod.ts";
import { type PrometheusMetrics, prometheusMetrics } from "../../telemetry/export/mod.ts";
import { clientReports, Hub, type HubOptions, type StreamInfo, type XdsObserver } from "../../xds/mod.ts";
import { countAnswers } from "./count_answers.ts";
import { findingsOfNode, findingsOfObjects, findingsOfService, type Locate } from "./findings.ts";
import { checkKeyPair } from "./key_pair.ts";
import { observers } from "./observers.ts";
import { xdsLog } from "./xds_log.ts";
import { XdsMetrics } from "./xds_metrics.ts";

/** Findings of the same change come within this time. */
const FINDINGS_DELAY_MS = 20;

/** Options of {@linkcode Core}. */
export interface CoreOptions {
  readonly store: ObjectStore;
  /** Where last good bytes outlive the process. */
  readonly shelf?: Shelf;
  /** Its own when absent. */
  readonly prometheus?: PrometheusMetrics;
  /** Name of this replica and of this life of it. */
  readonly replica: Replica;
  /** Who else lives; this replica alone when absent. */
  readonly replicas?: EnvoyConfigControllerOptions["replicas"];
  /** Whether this replica may write for all; always when absent. */
  readonly leadership?: EnvoyConfigControllerOptions["leadership"];
  /** How many node ids are looked at at a time; one when absent. */
  readonly concurrency?: number;
  /** What connected Envoys get when their EnvoyConfig goes away. */
  readonly onDelete: "keep" | "empty";
  /** How long a removed cluster stays, in milliseconds. */
  readonly removalDelay: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** By what else than its node id a client may say whose VirtualServices it is to have. */
  readonly trust: ClientTrust;
  /** Says why a peer may not be a node. */
  readonly authorize?: HubOptions["authorize"];
  /** What else there is to mend, by who found it. */
  readonly alsoFound?: (locate: Locate) => Readonly<Record<string, readonly OpenFinding[]>>;
  /** Told after each look at a node id; `undefined` when it is gone. */
  readonly onReport?: (nodeId: string, report: NodeReport | undefined) => void;
}

/**
 * The way from the store to the streams: controller, hub, and what they tell of themselves. Where objects come from and who
 * connects is added from outside.
 */
export class Core implements AsyncDisposable {
  readonly registry: Registry = envoyRegistry();
  readonly hub: Hub;
  readonly controller: EnvoyConfigController;
  readonly mesh: VirtualServiceController;
  readonly findings: FindingLog;
  readonly prometheus: PrometheusMetrics;
  readonly xdsMetrics = new XdsMetrics();
  /** Where objects stand in files. Findings are told once this is set, since without a place they help little. */
  locate: Locate | undefined;
  readonly #options: CoreOptions;
  readonly #ending = new AbortController();
  #cancelReport: (() => void) | undefined;

  constructor(options: CoreOptions) {
    const { store, shelf, replica, replicas, leadership, concurrency, removalDelay, clock, log, authorize, trust } =
      this.#options = options;
    this.prometheus = options.prometheus ?? prometheusMetrics();
    this.findings = new FindingLog(log);
    const tellController = ({ node }: StreamInfo) => this.controller.progressed(node.id);
    this.hub = new Hub({
      clock,
      policy: { removalDelayMs: removalDelay },
      observer: observers([
        this.xdsMetrics,
        countAnswers(this.prometheus.metrics, clock),
        xdsLog(log),
        { progressed: tellController, closed: tellController },
        this.#meshObserver(),
      ]),
      layerKeys: (node, call) => clientKeys(node, { trust, ownStream: call.typeUrl !== undefined }),
      ...(authorize && { authorize }),
    });
    this.controller = new EnvoyConfigController({
      store,
      registry: this.registry,
      clock,
      random: Math.random,
      ...(shelf && { shelf }),
      checkKeyPair,
      sink: this.#sink(),
      clients: { reports: (nodeId) => clientReports(this.hub, nodeId) },
      replica,
      ...(replicas && { replicas }),
      ...(leadership && { leadership }),
      ...(concurrency !== undefined && { concurrency }),
      onReport: (nodeId, report) => {
        options.onReport?.(nodeId, report);
        this.#looked(report?.findings.length ? "findings" : "ok");
      },
      onError: (group, { error, retryInMs }) => {
        log.warn("Cannot bring a configuration about", { group, error: errorMessage(error), retryInMs });
        this.#looked("failed");
      },
    });
    this.mesh = new VirtualServiceController({
      store,
      registry: this.registry,
      hub: this.hub,
      onDelete: options.onDelete,
      clock,
      random: Math.random,
      replica,
      ...(replicas && { replicas }),
      ...(leadership && { leadership }),
      onLook: () => this.reportSoon(),
      onError: (what, { error, retryInMs }) =>
        log.warn("Cannot bring VirtualServices about", { what, error: errorMessage(error), retryInMs }),
    });
  }

  /** Resolves once every EnvoyConfig in the store is on offer. */
  async start(): Promise<void> {
    await this.controller.start(this.#ending.signal);
  }

  /** Resolves once every VirtualService in the store is on offer. */
  async startMesh(): Promise<void> {
    await this.mesh.start(this.#ending.signal);
  }

  /** Resolves when everything that is known is on offer. */
  async idle(): Promise<void> {
    await Promise.all([this.controller.idle(), this.mesh.idle()]);
  }

  leadershipChanged(): void {
    this.controller.leadershipChanged();
    this.mesh.leadershipChanged();
  }

  replicasChanged(): void {
    this.controller.replicasChanged();
    this.mesh.replicasChanged();
  }

  /** Number of node ids that are served. */
  get nodes(): number {
    return this.controller.reports().filter((report) => report.revision !== "").length;
  }

  /** Tells what there is to mend now. */
  report(): void {
    const locate = this.locate ?? (() => undefined);
    this.findings.report("nodes", this.controller.reports().flatMap((report) => findingsOfNode(report, locate)));
    this.findings.report("virtual-services", this.mesh.reports().flatMap((one) => findingsOfService(one, locate)));
    this.findings.report("objects", findingsOfObjects(this.controller.unusable(), locate));
    const others = this.#options.alsoFound?.(locate) ?? {};
    for (const [finder, found] of Object.entries(others)) this.findings.report(finder, found);
  }

  /** The same a little later: one look for a burst of changes. */
  reportSoon(): void {
    if (!this.locate) return;
    this.#cancelReport ??= this.#options.clock.after(FINDINGS_DELAY_MS, () => {
      this.#cancelReport = undefined;
      this.report();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#cancelReport?.();
    this.locate = undefined;
    this.#ending.abort();
    this.hub.close();
    return Promise.resolve();
  }

  /** The controllers come after the hub, and nobody connects before both are there. */
  #meshObserver(): XdsObserver {
    const progressed = ({ node }: StreamInfo) => this.mesh.progressed(node.id);
    return {
      opened: (stream) => this.mesh.opened(stream),
      closed: (stream) => this.mesh.closed(stream),
      progressed,
      verdict: progressed,
    };
  }

  #sink(): SnapshotSink {
    const { onDelete, log } = this.#options;
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
