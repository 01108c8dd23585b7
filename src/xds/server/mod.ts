/**
 * The bytes: a gRPC server that leads xDS streams to a handler. The only place that knows grpc-js.
 * @module
 */
export { type Bind, formatBind } from "./bind.ts";
export { DEFAULT_LIMITS, type SendLimits, type XdsLimits } from "./limits.ts";
export { isLoopback } from "./loopback.ts";
export { type MemoryTrimmer, memoryTrimmer, type MemoryTrimmerOptions } from "./memory_trimmer.ts";
export { type RunningXds, serveXds, type XdsLog, type XdsServerOptions } from "./serve.ts";
export {
  checkTlsMaterial,
  readTlsFiles,
  type TlsFiles,
  type TlsMaterial,
  watchTlsFiles,
  type WatchTlsOptions,
} from "./tls/mod.ts";
export type {
  ClientResource,
  ClientResourceState,
  ClientStatus,
  ClientStatusSource,
} from "./services/client_status.ts";
