import type { Finding, ObjectKey } from "../../base/mod.ts";

/** A finding of a scan, with the object that it is about when it is known. */
export interface DirectoryFinding extends Finding {
  readonly object?: ObjectKey;
}

/** What a scan found and did. */
export interface DirectoryReport {
  /** Milliseconds since the epoch at its end. */
  readonly at: number;
  /** Number of manifests read. */
  readonly files: number;
  /** Number of objects of the directory that are in the store now, last good ones included. */
  readonly objects: number;
  /** Objects written to the store by this scan. */
  readonly applied: readonly ObjectKey[];
  /** Objects taken out of the store by this scan. */
  readonly removed: readonly ObjectKey[];
  /** How many documents of kinds that are not served, per kind. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly findings: readonly DirectoryFinding[];
  /** Whether the store holds what the directory says: false when it could not be written, then it is tried again. */
  readonly stored: boolean;
}
