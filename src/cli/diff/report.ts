import type { ConfigDocument, ServedDocument, UnknownResource } from "../../app/documents/mod.ts";
import type { FileConfig } from "../../app/diff/mod.ts";
import { nameOf } from "../source/names.ts";
import { type Change, compare } from "./compare.ts";

/** One EnvoyConfig in `chancery diff -o json`. */
export interface DiffItem {
  readonly namespace: string;
  readonly name: string;
  readonly nodeId: string;
  readonly file: string;
  /** Version that the file would have. */
  readonly fileVersion: string;
  /** What is served to the node id; null when nothing is. */
  readonly publication: string | null;
  readonly changes: readonly Change[];
  /** Number of resources that are the same. */
  readonly same: number;
  /** What is made of Secrets or EndpointSlices that one side does not have, or may not be read there. */
  readonly unknown: readonly DiffUnknown[];
  /** What would be otherwise besides the resources. */
  readonly notes: readonly string[];
}

/** What cannot be compared. */
export interface DiffUnknown extends UnknownResource {
  /** Which side does not know it. */
  readonly side: "file" | "served";
}

/** The whole of `chancery diff -o json`: fields are added here, never removed or given another meaning. */
export interface DiffReport {
  readonly version: 1;
  readonly server: string;
  /** Nothing would change. */
  readonly same: boolean;
  readonly items: readonly DiffItem[];
}

/** Compares one EnvoyConfig of the files with what its node id is served. */
export function diffItem(
  file: FileConfig,
  { served, configs }: { served: ServedDocument | undefined; configs: readonly ConfigDocument[] },
): DiffItem {
  const { namespace, name, nodeId, version: fileVersion } = file;
  return {
    namespace,
    name,
    nodeId,
    file: file.file,
    fileVersion,
    publication: served?.publication ?? null,
    ...compare(file, served),
    unknown: unknownOn(file, served),
    notes: notesOn(file, configs),
  };
}

/** Each resource once. */
function unknownOn(file: FileConfig, served: ServedDocument | undefined): DiffUnknown[] {
  const mine = new Set(file.unknown.map(({ type, name }) => `${type}/${name}`));
  const theirs = served?.unknown?.filter(({ type, name }) => !mine.has(`${type}/${name}`)) ?? [];
  return [
    ...file.unknown.map((one) => ({ ...one, side: "file" as const })),
    ...theirs.map((one) => ({ ...one, side: "served" as const })),
  ];
}

function notesOn(file: FileConfig, configs: readonly ConfigDocument[]): string[] {
  const stored = configs.find((config) => nameOf(config) === nameOf(file));
  const holder = configs.find((config) => config.nodeId === file.nodeId && config.servedFrom === undefined);
  const notes: string[] = [];
  if (stored?.nodeId !== undefined && stored.nodeId !== file.nodeId) {
    notes.push(`the node id would change from ${JSON.stringify(stored.nodeId)} to ${JSON.stringify(file.nodeId)}`);
  }
  if (holder && nameOf(holder) !== nameOf(file)) {
    notes.push(`node id ${JSON.stringify(file.nodeId)} is served from ${nameOf(holder)}, which would stay so`);
  }
  return notes;
}
