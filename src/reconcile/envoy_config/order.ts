import type { WatchedObject } from "../engine/object_source.ts";
import { revisionStatusOf } from "./revision.ts";

/** How many revisions of a node id are kept. */
const MAX_REVISIONS = 10;

interface Ranked {
  readonly version: string;
  /** Absent while it is not stored. */
  readonly object?: WatchedObject;
}

/**
 * Revisions by rank, the last is the one to publish first: the desired one is always last; the others by when they were
 * published last, or made while they never were; of equal times that with the smaller name comes first (W35).
 */
export function ranked<T extends Ranked>(revisions: readonly T[], desired: string | undefined): T[] {
  return [...revisions].sort((a, b) =>
    Number(a.version === desired) - Number(b.version === desired) || timeOf(a) - timeOf(b) ||
    (nameOf(a) < nameOf(b) ? -1 : 1)
  );
}

/** What goes because there are too many, the lowest rank first; never one of `keep` (I13). */
export function surplus<T extends Ranked>(revisions: readonly T[], keep: ReadonlySet<string>): T[] {
  const free = revisions.filter(({ version }) => !keep.has(version));
  return free.slice(0, Math.max(0, revisions.length - MAX_REVISIONS));
}

/** When a publication took place that comes after all others, whatever the clock says: ranks never tie. */
export function nextPublicationTime(revisions: readonly Ranked[], now: number): string {
  const last = Math.max(...revisions.map(({ object }) => publishedAt(object)));
  return new Date(Number.isFinite(last) ? Math.max(now, last + 1) : now).toISOString();
}

/** Whether no other one was published since. */
export function isLatest(object: WatchedObject, revisions: readonly Ranked[]): boolean {
  const time = publishedAt(object);
  return Number.isFinite(time) &&
    revisions.every((other) => other.object === object || publishedAt(other.object) < time);
}

function publishedAt(object: WatchedObject | undefined): number {
  return parse(object && revisionStatusOf(object).lastPublishedAt);
}

function timeOf({ object }: Ranked): number {
  if (!object) return Infinity;
  const published = publishedAt(object);
  return Number.isFinite(published) ? published : parse(object.metadata.creationTimestamp);
}

function nameOf({ object, version }: Ranked): string {
  return object?.metadata.name ?? version;
}

function parse(time: string | undefined): number {
  const parsed = Date.parse(time ?? "");
  return Number.isNaN(parsed) ? -Infinity : parsed;
}
