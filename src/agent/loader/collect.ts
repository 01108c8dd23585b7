import type { SourceFile, SourceState } from "./source_state.ts";

/** A source and what is known of it. */
export interface KnownSource {
  readonly id: string;
  readonly state: SourceState;
}

/** A file that is wanted, and the source that wants it. */
export interface WantedFile extends SourceFile {
  readonly sourceId: string;
}

/** What all sources together say. */
export interface Collected {
  /** By path, sorted. */
  readonly files: ReadonlyMap<string, WantedFile>;
  /** Paths that several objects give, with their owners: nobody's word counts, what is there stays. */
  readonly conflicts: ReadonlyMap<string, readonly string[]>;
  /** Ids of the sources that cannot be asked: what they gave stays. */
  readonly unknown: ReadonlySet<string>;
}

/** Puts the files of all sources together; the order of sources and keys does not matter. */
export function collect(sources: readonly KnownSource[]): Collected {
  const givers = new Map<string, WantedFile[]>();
  const unknown = new Set<string>();
  for (const { id, state } of sources) {
    if (state.kind === "unknown") unknown.add(id);
    if (state.kind !== "present") continue;
    for (const object of state.objects) {
      for (const [path, file] of object) {
        const known = givers.get(path);
        // A ConfigMap that is named and selected, too, is still one.
        if (known?.some(({ owner }) => owner === file.owner)) continue;
        givers.set(path, [...known ?? [], { ...file, sourceId: id }]);
      }
    }
  }
  const files = new Map<string, WantedFile>();
  const conflicts = new Map<string, readonly string[]>();
  for (const path of [...givers.keys()].sort()) {
    const [first, ...others] = givers.get(path)!; // a key of it
    if (others.length === 0) files.set(path, first!);
    else conflicts.set(path, givers.get(path)!.map(({ owner }) => owner).sort());
  }
  return { files, conflicts, unknown };
}
