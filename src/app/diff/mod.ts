/**
 * What files of manifests would be served as, to be compared with what is served.
 * @module
 */
export { type FileConfig, type FileResource, type FilesRead, readFiles } from "./read_files.ts";
