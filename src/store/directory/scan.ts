/** A manifest as it was found on disk. */
export interface ScannedFile {
  /** Path below the directory, with slashes. */
  readonly name: string;
  /** Its text, or `undefined` when it cannot be read as such. */
  readonly text: string | undefined;
  /** Why there is no text. */
  readonly problem?: string;
  /** Changes when the file is written: size, time of modification, inode. */
  readonly stamp: string;
}

/** One look at a directory. */
export interface Scan {
  /** Sorted by name. */
  readonly files: readonly ScannedFile[];
  /** Folders (`""` is the directory itself) whose inside is not known, and why. */
  readonly unreadable: readonly { readonly name: string; readonly problem: string }[];
}

/** The disk, as a {@linkcode Directory} needs it. */
export interface DirectoryDisk {
  read(): Promise<Scan>;
  /** Calls back on each change that may matter, from now on; may be called again to renew a watch that broke. */
  watch(onChange: () => void): void;
  close(): void;
}

/** Names of the files that are not the same in both looks. */
export function changedFiles(before: Scan, after: Scan): Set<string> {
  const old = new Map(before.files.map((file) => [file.name, file]));
  const changed = new Set(old.keys());
  for (const file of after.files) {
    const was = old.get(file.name);
    if (was && was.stamp === file.stamp && was.text === file.text && was.problem === file.problem) {
      changed.delete(file.name);
    } else changed.add(file.name);
  }
  return changed;
}

/** Whether nothing happened between two looks. */
export function sameScan(before: Scan, after: Scan): boolean {
  const folders = (scan: Scan) => JSON.stringify(scan.unreadable);
  return folders(before) === folders(after) && changedFiles(before, after).size === 0;
}

const EXTENSION = /\.(ya?ml|json)$/i;
const BACKUP = /(~|\.(sw[a-z]|tmp|bak|orig|part))$/i;

/** Whether a name is that of a manifest: no hidden file, no editor's backup. `#x.yaml#` and `.#x.yaml` are Emacs'. */
export function isManifestName(name: string): boolean {
  return EXTENSION.test(name) && !BACKUP.test(name) && !name.startsWith(".") && !name.startsWith("#");
}

/**
 * Whether a change of this name can matter: a manifest, a folder (any other name), or `..data`, the link by which a mounted
 * ConfigMap changes all its files at once.
 */
export function isNameThatMatters(name: string): boolean {
  if (name.startsWith("..")) return true;
  if (name.startsWith(".") || name.startsWith("#") || BACKUP.test(name)) return false;
  return !/\.(db|db-wal|db-shm|db-journal|lock|log)$/i.test(name);
}
