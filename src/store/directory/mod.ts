/**
 * A directory of manifests as a client of the local store.
 * @module
 */
import { Directory, type DirectoryOptions } from "./directory.ts";
import { openDisk } from "./disk/disk.ts";
import type { Scan } from "./scan.ts";
import type { DirectoryReport } from "./report.ts";

export { Directory, type DirectoryOptions } from "./directory.ts";
export type { ManifestObject, WantedKind } from "./documents.ts";
export type { DirectoryFinding, DirectoryReport } from "./report.ts";
export type { Scan, ScannedFile } from "./scan.ts";

/** Reads the directory into the store and follows its changes; resolves after the first scan, with its report. */
export async function openDirectory(
  options: DirectoryOptions,
): Promise<{ directory: Directory; report: DirectoryReport }> {
  const directory = new Directory(openDisk(options.dir), options);
  return { directory, report: await directory.start() };
}

/** All manifests below a directory, as a standalone sees them; one look, nothing is followed. */
export function readManifests(directory: string): Promise<Scan> {
  return openDisk(directory).read();
}
