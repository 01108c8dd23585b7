/**
 * Brings the world to what the objects say: an engine, then one folder per kind with what it gathers, plans and applies.
 * @module
 */
export { applyStatuses, type WantedStatus } from "./engine/apply_statuses.ts";
export {
  type ConfigEvent,
  keyOf,
  type ObjectEvent,
  type ObjectStore,
  type StatedObject,
  type WatchedObject,
} from "./engine/object_source.ts";
export { ReverseIndex } from "./engine/reverse_index.ts";
export { WorkQueue, type WorkQueueOptions, type WorkResult } from "./engine/work_queue.ts";
export { pin, retry, type Steered, type SteerStore } from "./envoy_config/actions.ts";
export type { ClientReport, ClientReportSource, Replica } from "./envoy_config/client_reports.ts";
export {
  EnvoyConfigController,
  type EnvoyConfigControllerOptions,
  type NodeReport,
} from "./envoy_config/controller.ts";
export type { ConfigInput, NodeInputs, RevisionInput, Served } from "./envoy_config/inputs.ts";
export type { NodePlan, PlanOptions } from "./envoy_config/node_plan.ts";
export { planNode } from "./envoy_config/plan.ts";
export { compiledRevision, type ReadRevision, readRevision } from "./envoy_config/revision.ts";
export type { Shelf, SnapshotSink } from "./snapshot_sink.ts";
