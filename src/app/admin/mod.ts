/**
 * The HTTP interface for operators: health, metrics, status on TCP; changes on a Unix socket.
 * @module
 */
export { type AdminActions, type AdminSource, fullApp, readOnlyApp } from "./app.ts";
export { type AskOptions, askSocket, SOCKET_NAME } from "./client/mod.ts";
export { type ConfigSource, MAX_BODIES } from "./config_routes.ts";
export { isTrustedHost } from "./host_check.ts";
export { type RunningAdmin, serveAdmin, serveSocket } from "./serve.ts";
export {
  type ClusterStatus,
  type ConfigStatus,
  type NodeStatus,
  type StatusDocument,
  type StreamStatus,
  type TypeStatus,
  type WatchStatus,
  type XdsStatus,
} from "./status_document.ts";
