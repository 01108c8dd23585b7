/**
 * A directory of manifests as a client of the local store.
 * @module
 */
import { Directory, type DirectoryOptions } from "./directory.ts";
import { openDisk } from "./disk/disk.ts";
import type { DirectoryReport } from "./report.ts";

export { Directory, type DirectoryOptions } from "./directory.ts";
export type { ManifestObject, WantedKind } from "./documents.ts";
export type { DirectoryFinding, DirectoryReport } from "./report.ts";

/** Reads the directory into the store and follows its changes; resolves after the first scan, with its report. */
export async function openDirectory(
  options: DirectoryOptions,
): Promise<{ directory: Directory; report: DirectoryReport }> {
  const directory = new Directory(openDisk(options.dir), options);
  return { directory, report: await directory.start() };
}
