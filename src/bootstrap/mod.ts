/**
 * The document that an Envoy starts from. Pure.
 * @module
 */
export { type Address, formatAddress, isIp, parseAddress } from "./address/mod.ts";
export {
  BOOTSTRAP,
  type BootstrapFile,
  type BootstrapOptions,
  buildBootstrap,
  type Locality,
  type Readiness,
} from "./bootstrap.ts";
export type { StatusPlace } from "./status_listener.ts";
export type { TlsFiles } from "./tls.ts";
