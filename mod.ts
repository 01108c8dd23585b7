/**
 * An xDS server to embed: snapshots in by node id, Envoy and gRPC clients served, ACKs and NACKs out. No Kubernetes needed.
 *
 * ```ts
 * import { XdsServer } from "./mod.ts";
 *
 * await using server = await XdsServer.start({
 *   bind: { host: "127.0.0.1", port: 18000 },
 *   onNack: ({ nodeId, type, message }) => console.error(`${nodeId} refused ${type}: ${message}`),
 * });
 * server.setSnapshot("edge", { clusters: [{ name: "api", type: "STATIC", connect_timeout: "1s" }] });
 * ```
 * @module
 */
export {
  type Acknowledgement,
  type EncodedResource,
  type ResourceInput,
  type ResourcePlural,
  type SnapshotInput,
  XdsServer,
  type XdsServerOptions,
} from "./src/app/library/mod.ts";
export { ChanceryError, type ErrorCode, type Finding } from "./src/base/mod.ts";
export type { NodeInfo, NodeStatus, SessionPolicy, StreamStatus, TypeStatus } from "./src/xds/mod.ts";
export type { Bind, TlsMaterial, XdsLimits, XdsLog } from "./src/xds/server/mod.ts";
