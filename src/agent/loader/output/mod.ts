/**
 * Files on disk, put in place so that Envoy notices and a crash leaves nothing half done.
 * @module
 */
export type { Modes } from "./disk.ts";
export { FilesOutput } from "./files_output.ts";
export type { Output } from "./output.ts";
export { VersionsOutput } from "./versions_output.ts";
