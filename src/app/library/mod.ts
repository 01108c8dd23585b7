/**
 * The xDS server as a library, for programs that bring their own configuration.
 * @module
 */
export {
  type EncodedResource,
  encodeSnapshot,
  type ResourceInput,
  type ResourcePlural,
  type SnapshotInput,
} from "./resources.ts";
export { type Acknowledgement, XdsServer, type XdsServerOptions } from "./xds_server.ts";
