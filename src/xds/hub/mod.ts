/**
 * Streams and snapshots meet here.
 * @module
 */
export {
  type ClientReport,
  clientReports,
  type ClientVerdict,
  clientVerdict,
  type Rejection,
} from "./client_report.ts";
export { clientStatuses } from "./client_status.ts";
export { Hub, type HubOptions, type SetOptions } from "./hub.ts";
export type { Layer } from "./layer.ts";
export type { Sent, StreamInfo, XdsObserver } from "./observer.ts";
export { type ResourceVerdict, resourceVerdict } from "./resource_verdict.ts";
export { hubStatus, type NodeStatus, type StreamStatus, type TypeStatus } from "./status.ts";
