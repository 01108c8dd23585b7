/**
 * What every long-running role is, whatever it does: a process that logs, answers probes, and ends when it is told to.
 * @module
 */
export type { ProbeSource } from "./probes.ts";
export { type RunOptions, runUntilTold } from "./run_until_told.ts";
export { type LogOptions, processLogger, type ServerHost } from "./server_host.ts";
export { watchedNamespaces } from "./watched_namespaces.ts";
export { type ProcessAddresses, type ProcessServers, serveProcess } from "./serve_process.ts";
