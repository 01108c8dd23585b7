/**
 * The xDS protocol: session state machines, and the hub that leads snapshots to streams. Sockets are in `xds/server/`.
 * @module
 */
export type { CallStatus, Peer, StreamHandler, XdsCall, XdsHandler } from "./call.ts";
export {
  type ClientReport,
  clientReports,
  clientStatuses,
  Hub,
  type HubOptions,
  hubStatus,
  type Layer,
  type NodeStatus,
  type Rejection,
  type ResourceVerdict,
  resourceVerdict,
  type Sent,
  type SetOptions,
  type StreamInfo,
  type StreamStatus,
  type TypeStatus,
  type XdsObserver,
} from "./hub/mod.ts";
export { DEFAULT_POLICY, type SessionPolicy, type Verdict } from "./session/mod.ts";
export type { NodeInfo } from "./wire/mod.ts";
