import type { FileConfig, FileResource } from "../../app/diff/mod.ts";
import type { ServedDocument, ServedResource } from "../../app/documents/mod.ts";
import { canonicalJson, type Json } from "../../base/mod.ts";

/** A resource that is not the same on both sides. */
export interface Change {
  /** `CDS`, `LDS`, … */
  readonly type: string;
  readonly name: string;
  /** Seen from what is served: `added` is only in the file. */
  readonly change: "added" | "changed" | "removed";
  /** The difference is in what is redacted, and not to be seen. */
  readonly redacted: boolean;
  readonly before: Json;
  readonly after: Json;
}

/** What two sides have in common, and what not. */
export interface Comparison {
  readonly changes: readonly Change[];
  /** Number of resources that are the same. */
  readonly same: number;
}

/** Resources of which the served content is needed, as `TYPE/NAME`: those whose versions differ. */
export function wantedBodies(file: FileConfig, served: ServedDocument | undefined): string[] {
  const mine = new Map(file.resources.map((resource) => [idOf(resource), resource]));
  const unknown = unknownIds(file, served);
  return (served?.resources ?? [])
    .filter((resource) => !unknown.has(idOf(resource)) && mine.get(idOf(resource))?.version !== resource.version)
    .map(idOf);
}

/** Compares resource by resource; what is made of objects that are not among the files is left out. */
export function compare(file: FileConfig, served: ServedDocument | undefined): Comparison {
  const unknown = unknownIds(file, served);
  const theirs = new Map(
    (served?.resources ?? []).filter((one) => !unknown.has(idOf(one))).map((one) => [idOf(one), one]),
  );
  const mine = new Map(
    file.resources.filter((one) => !unknown.has(idOf(one))).map((one) => [idOf(one), one]),
  );
  const changes: Change[] = [];
  let same = 0;
  for (const id of [...new Set([...theirs.keys(), ...mine.keys()])].sort()) {
    const change = changeOf(theirs.get(id), mine.get(id));
    if (change) changes.push(change);
    else same++;
  }
  return { changes, same };
}

/** What cannot be compared, since one of the sides does not know it. */
function unknownIds(file: FileConfig, served: ServedDocument | undefined): ReadonlySet<string> {
  return new Set([...file.unknown, ...served?.unknown ?? []].map(idOf));
}

function changeOf(served: ServedResource | undefined, file: FileResource | undefined): Change | undefined {
  if (served && file && served.version === file.version) return undefined;
  const { type, name } = served ?? file!; // one of them is there
  const before = served?.body ?? null;
  const after = file?.body() ?? null;
  const change = !served ? "added" : !file ? "removed" : "changed";
  const redacted = change === "changed" && canonicalJson(before) === canonicalJson(after);
  // Equal, and nothing that could be hidden: only the encoders of two versions of the program differ.
  if (redacted && !JSON.stringify(after).includes("[redacted]")) return undefined;
  return { type, name, change, redacted, before, after };
}

function idOf({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type}/${name}`;
}
