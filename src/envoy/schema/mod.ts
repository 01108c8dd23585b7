/**
 * What a message, an enum and a service look like, and the registry that knows them all.
 * @module
 */
export * from "./descriptor.ts";
export { zeroOf } from "./parse_message.ts";
