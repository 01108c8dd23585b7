import { type Finding, hasErrors } from "../../base/mod.ts";
import type { Collected, WantedFile } from "./collect.ts";
import { byKind, type FileKind, USES_CLUSTERS } from "./file_kind.ts";
import type { Check, Verdict } from "./verdict.ts";
import { withClusters } from "./with_clusters.ts";

/** What is in place now. */
export interface Present {
  /** Content by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Source id by path, of the files that a loader put there; others are left alone unless one of the same name is wanted. */
  readonly owned: ReadonlyMap<string, string>;
}

/** What a plan is made of. */
export interface PlanInput {
  readonly collected: Collected;
  readonly present: Present;
  readonly check: Check;
  /** Milliseconds of a monotonic clock. */
  readonly now: number;
  /** When a file that uses clusters changed last; undefined when none can be in use. */
  readonly usersChangedAt: number | undefined;
  /** How long a removed cluster stays after that, in milliseconds. */
  readonly removalDelayMs: number;
}

/** One change of the output. */
export type Step =
  | {
    readonly do: "write";
    readonly path: string;
    readonly kind: FileKind;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly secret: boolean;
    readonly is: "new" | "changed";
  }
  | { readonly do: "remove"; readonly path: string; readonly kind: FileKind };

/** A file that is wanted and that is not put in place. */
export interface HeldFile {
  readonly path: string;
  /** Whether something older is in place and stays. */
  readonly keeps: boolean;
  readonly owners: readonly string[];
  readonly findings: readonly Finding[];
}

/** The way from what is in place to what is wanted. */
export interface Plan {
  readonly steps: readonly Step[];
  /** What the loader owns once all steps are done. */
  readonly owned: ReadonlyMap<string, string>;
  readonly held: readonly HeldFile[];
  /** What is said of files that are put in place all the same. */
  readonly warnings: readonly HeldFile[];
  /** Milliseconds until clusters that still stay can go; undefined when there are none. */
  readonly lookAgainMs?: number;
}

/** Whether anything is to be looked at closely; while nothing is, no content has to be read. */
export function differs(collected: Collected, { files, owned }: Present): boolean {
  if (collected.conflicts.size > 0) return true;
  for (const [path, { bytes, sourceId }] of collected.files) {
    if (!sameBytes(files.get(path), bytes) || owned.get(path) !== sourceId) return true;
  }
  return [...owned].some(([path, sourceId]) => !collected.files.has(path) && !collected.unknown.has(sourceId));
}

/**
 * Plans the steps. Whatever step is the last one that is done, no file is half written, no user of a resource is there without
 * what it uses, and planning again from there ends in the same state.
 */
export function planFiles(input: PlanInput): Plan {
  const { collected, present, check } = input;
  const held: HeldFile[] = [];
  const warnings: HeldFile[] = [];
  const owned = new Map<string, string>();
  const changed: Changed[] = [];
  for (const [path, file] of collected.files) {
    const before = present.files.get(path);
    if (sameBytes(before, file.bytes)) {
      owned.set(path, file.sourceId);
      continue;
    }
    const verdict = check(path, file.bytes);
    const said = { path, keeps: before !== undefined, owners: [file.owner], findings: verdict.findings };
    if (hasErrors(verdict.findings)) {
      held.push(said);
      if (present.owned.has(path)) owned.set(path, file.sourceId);
      continue;
    }
    if (verdict.findings.length > 0) warnings.push(said);
    owned.set(path, file.sourceId);
    changed.push({ path, file, verdict, before, kind: kindOf(path, { verdict, before, check }) });
  }
  for (const [path, owners] of collected.conflicts) {
    held.push({ path, keeps: present.files.has(path), owners, findings: [conflict(owners)] });
    if (present.owned.has(path)) owned.set(path, present.owned.get(path)!);
  }
  const { writes, lookAgainMs } = writesOf(changed, input);
  const removals: Step[] = [];
  for (const [path, sourceId] of present.owned) {
    if (owned.has(path) || collected.files.has(path)) continue;
    if (collected.unknown.has(sourceId)) owned.set(path, sourceId);
    else if (present.files.has(path)) {
      removals.push({ do: "remove", path, kind: check(path, present.files.get(path)!).kind });
    }
  }
  removals.sort((a, b) => byKind(b.kind, a.kind) || (a.path < b.path ? -1 : 1));
  const steps = [...writes, ...removals];
  return { steps, owned, held, warnings, ...(lookAgainMs === undefined ? {} : { lookAgainMs }) };
}

interface Changed {
  readonly path: string;
  readonly file: WantedFile;
  readonly verdict: Verdict;
  readonly before: Uint8Array | undefined;
  readonly kind: FileKind;
}

/** A file that has become empty is still to Envoy what it was. */
function kindOf(
  path: string,
  { verdict, before, check }: { verdict: Verdict; before: Uint8Array | undefined; check: Check },
): FileKind {
  return verdict.kind === "other" && before ? check(path, before).kind : verdict.kind;
}

/** Files that use clusters go last, and clusters that they used stay until nobody can be using them any more. */
function writesOf(
  changed: readonly Changed[],
  { check, now, usersChangedAt, removalDelayMs }: PlanInput,
): { writes: Step[]; lookAgainMs?: number } {
  const usersChange = changed.some(({ kind }) => USES_CLUSTERS.has(kind));
  const since = usersChange ? now : usersChangedAt;
  const waitMs = since === undefined ? 0 : since + removalDelayMs - now;
  let stays = false;
  const writes = changed.flatMap(({ path, file, verdict, before, kind }): Step[] => {
    let { bytes } = file;
    if (waitMs > 0 && kind === "CDS" && before) {
      const gone = goneClusters(check(path, before), verdict);
      if (gone.length > 0) {
        stays = true;
        bytes = withClusters([...verdict.clusters?.values() ?? []], gone);
        if (sameBytes(before, bytes)) return [];
      }
    }
    return [{ do: "write", path, kind, bytes, secret: file.secret, is: before ? "changed" : "new" }];
  });
  // What is new and not read by anybody yet disturbs nobody; a sort keeps the order of paths among equals.
  writes.sort((a, b) => byKind(a.kind, b.kind));
  return stays ? { writes, lookAgainMs: waitMs } : { writes };
}

function goneClusters(before: Verdict, after: Verdict): unknown[] {
  if (before.kind !== "CDS" || hasErrors(before.findings)) return [];
  return [...before.clusters ?? []].filter(([name]) => !after.clusters?.has(name)).map(([, cluster]) => cluster);
}

function conflict(owners: readonly string[]): Finding {
  return {
    severity: "error",
    path: [],
    message: `several give this file: ${owners.join(", ")}; give them folders of their own (NAME=FOLDER)`,
    rule: "conflict",
  };
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
