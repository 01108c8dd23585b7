/**
 * Addresses as people write them. A door of its own: every command line has some, and few of them write a bootstrap.
 * @module
 */
export { type Address, formatAddress, isIp, parseAddress } from "./address.ts";
