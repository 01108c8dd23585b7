/**
 * What every role that serves xDS is made of, and what it says of itself.
 * @module
 */
export { Core, type CoreOptions } from "./core.ts";
export { findingsOfObjects, type Locate } from "./findings.ts";
export { isLocal } from "./is_local.ts";
export { checkKeyPair } from "./key_pair.ts";
export { Overview, type OverviewParts } from "./overview.ts";
export { type ServedXds, startXds, type StartXdsOptions, type TlsPaths } from "./xds.ts";
