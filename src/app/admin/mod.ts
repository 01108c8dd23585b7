/**
 * The HTTP interface for operators: health, metrics, status on TCP; changes on a Unix socket.
 * @module
 */
export { type AdminActions, type AdminSource, fullApp, readOnlyApp } from "./app.ts";
export { type AskOptions, askSocket, SOCKET_NAME } from "./client/mod.ts";
export { type ConfigSource, type ConfigsQuery, MAX_BODIES } from "./config_routes.ts";
export type {
  ClientsDocument,
  ConfigDocument,
  ConfigsDocument,
  HistoryDocument,
  HoldDocument,
  RefusalDocument,
  RejectionDocument,
  RevisionDocument,
  RollbackAnswer,
  RollbackRequest,
  ServedDocument,
  ServedResource,
} from "./configs_document.ts";
export { isTrustedHost } from "./host_check.ts";
export { type RunningAdmin, serveAdmin, serveSocket } from "./serve.ts";
export {
  type ClusterStatus,
  type ConfigStatus,
  type FindingStatus,
  findingStatus,
  type NodeStatus,
  type StatusDocument,
  type StreamStatus,
  type TypeStatus,
  type WatchStatus,
  type XdsStatus,
} from "./status_document.ts";
