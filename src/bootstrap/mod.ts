/**
 * The document that an Envoy starts from. Pure.
 * @module
 */
export { type Address, formatAddress, isIp, parseAddress } from "./address.ts";
export { BOOTSTRAP, type BootstrapFile, type BootstrapOptions, buildBootstrap } from "./bootstrap.ts";
export type { TlsFiles } from "./tls.ts";
