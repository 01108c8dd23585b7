import type { ObjectKey } from "../../base/mod.ts";
import type { Metrics } from "../../telemetry/mod.ts";
import type { AdminSource, StatusDocument, XdsStatus } from "../admin/mod.ts";
import {
  type ConfigsDocument,
  configsDocument,
  type ConfigsParts,
  type ConfigsQuery,
  findingStatus,
  type HistoryDocument,
  historyDocument,
  type ObjectReader,
  type ServedDocument,
} from "../documents/mod.ts";
import { servedDocument } from "../documents/served.ts";
import { hubClients } from "./clients.ts";
import type { Core } from "./core.ts";
import { collectNodes, collectSnapshots, collectUnverified, nodeStatuses } from "./node_status.ts";

/** What an {@linkcode Overview} looks at. */
export interface OverviewParts {
  readonly version: string;
  readonly envoyApi: string;
  readonly startedAt: Date;
  readonly core: Core;
  /** Where EnvoyConfigs are read. */
  readonly objects: ObjectReader;
  /** Why the store cannot be written, or may not be up to date; `undefined` when all is well. */
  storeTrouble(): string | undefined;
  /** Why no Envoy is answered at the moment; `undefined` when they are. */
  silence?(): string | undefined;
  xds(): XdsStatus;
  /** What only this role has to say. */
  role(): Pick<StatusDocument, "config" | "cluster">;
  /** Sets the metrics that only this role has. */
  collect(metrics: Metrics): void;
}

/** What a process that serves xDS says of itself over HTTP. */
export class Overview implements AdminSource {
  /** What is still to be done before traffic may depend on this process; `undefined` when nothing is. */
  pending: string | undefined = "starting";
  readonly #parts: OverviewParts;

  /** Whether traffic may depend on this process now. */
  get ready(): boolean {
    return this.pending === undefined && this.#parts.silence?.() === undefined;
  }

  constructor(parts: OverviewParts) {
    this.#parts = parts;
    const { metrics } = parts.core.prometheus;
    metrics.set("chancery_build_info", { version: parts.version, envoy_api: parts.envoyApi }, 1);
    metrics.set("process_start_time_seconds", {}, parts.startedAt.getTime() / 1000);
  }

  status(): StatusDocument {
    const { version, envoyApi, startedAt, core: { findings, hub } } = this.#parts;
    const problem = this.#parts.storeTrouble();
    return {
      version,
      envoyApi,
      startedAt: startedAt.toISOString(),
      ready: this.ready,
      details: this.#details(),
      ...this.#parts.role(),
      store: { writable: problem === undefined, ...(problem !== undefined && { problem }) },
      xds: this.#parts.xds(),
      nodes: nodeStatuses(hub),
      findings: findings.open().map(findingStatus),
    };
  }

  async metrics(): Promise<{ contentType: string; text: string }> {
    const { prometheus } = this.#parts.core;
    return { contentType: prometheus.contentType, text: await prometheus.text((metrics) => this.#collect(metrics)) };
  }

  configs(query: ConfigsQuery): Promise<ConfigsDocument> {
    return configsDocument(this.#configsParts(), query);
  }

  history(key: ObjectKey): Promise<HistoryDocument> {
    return historyDocument(this.#configsParts(), key);
  }

  served(nodeId: string, wanted: ReadonlySet<string>): ServedDocument {
    const { hub, registry } = this.#parts.core;
    return servedDocument(nodeId, { snapshot: hub.snapshot(nodeId), registry, wanted });
  }

  #configsParts(): ConfigsParts {
    const { objects, core: { hub, findings } } = this.#parts;
    return {
      objects,
      clients: hubClients(hub),
      findings: () => findings.open().map(findingStatus),
      details: () => this.#details(),
    };
  }

  #details(): readonly string[] {
    return [this.pending, this.#parts.silence?.(), this.#parts.storeTrouble()].filter((detail) => detail !== undefined);
  }

  #collect(metrics: Metrics): void {
    const { xdsMetrics, hub, findings, controller } = this.#parts.core;
    metrics.set("chancery_work_queue_depth", {}, controller.waiting);
    metrics.set("chancery_work_queue_failing", {}, controller.failing);
    for (const [state, count] of controller.states()) metrics.set("chancery_configs", { state }, count);
    xdsMetrics.collect(metrics);
    collectNodes(metrics, nodeStatuses(hub));
    collectUnverified(metrics, hub.nodes());
    collectSnapshots(metrics, hub);
    metrics.set("chancery_ready", {}, this.ready ? 1 : 0);
    metrics.set("chancery_store_writable", {}, this.#parts.storeTrouble() === undefined ? 1 : 0);
    for (const severity of ["error", "warning"] as const) {
      const count = findings.open().filter(({ finding }) => finding.severity === severity).length;
      metrics.set("chancery_findings", { severity }, count);
    }
    this.#parts.collect(metrics);
    const { rss, heapUsed } = Deno.memoryUsage();
    metrics.set("process_resident_memory_bytes", {}, rss);
    metrics.set("process_heap_bytes", {}, heapUsed);
  }
}
