import type { CompiledSpec } from "../../snapshot/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import type { ConfigInput, RevisionInput } from "./inputs.ts";
import { compiledRevision } from "./revision.ts";
import { revisionName } from "./revision_object.ts";
import { olderTwin } from "./take_over.ts";

/** A version that may be served. */
export interface Candidate {
  readonly version: string;
  /** Absent when the content cannot be read. */
  readonly spec?: CompiledSpec;
  /** Its revision, where it is stored. */
  readonly object?: WatchedObject;
  /** A revision of an older program with the same content, whose taint counts for this one. */
  readonly twin?: WatchedObject;
}

/** The revisions of a node id, sorted out. */
export interface Candidates {
  /** What may be served, the desired one among them, in any order. */
  readonly all: readonly Candidate[];
  /** Revisions that another EnvoyConfig of the same node id made: left to it, but not published. */
  readonly rivals: readonly WatchedObject[];
  /** Revisions that nobody needs: of an EnvoyConfig that has another node id by now (W25), or a second one of a version (I2). */
  readonly needless: readonly WatchedObject[];
  /**
   * The revision of the desired version has to be made, or taken over from an owner that is no more. Not while one of its name
   * is on its way out.
   */
  readonly create: boolean;
}

/** Sorts the revisions of a node id by whose they are. */
export function candidatesOf(
  winner: ConfigInput,
  { desired, revisions }: { desired: CompiledSpec | undefined; revisions: readonly RevisionInput[] },
): Candidates {
  const { namespace } = keyOf(winner.object);
  const { uid } = winner.object.metadata;
  const rivals: WatchedObject[] = [];
  const needless: WatchedObject[] = [];
  const own = new Map<string, RevisionInput>();
  const leaving = revisions.filter(({ object }) => object.metadata.deletionTimestamp !== undefined);
  for (const revision of [...revisions].sort(byName)) {
    const { object, owner } = revision;
    if (leaving.includes(revision)) continue;
    const rival = owner.state === "here" && owner.uid !== uid;
    if (owner.state === "moved") needless.push(object);
    else if (rival || keyOf(object).namespace !== namespace) rivals.push(object);
    else {
      const known = own.get(revision.version);
      const better = known && nameIsOurs(revision) && !nameIsOurs(known);
      if (known) needless.push(better ? known.object : object);
      if (!known || better) own.set(revision.version, revision);
    }
  }
  const all = [...own.values()].map((revision): Candidate => {
    const { version, object } = revision;
    // What the spec says now is read from the spec: findings then have its places.
    const spec = version === desired?.version ? desired : compiledRevision(revision);
    return { version, object, ...(spec ? { spec } : {}) };
  });
  const stored = desired && own.get(desired.version);
  if (desired && !stored) all.push({ version: desired.version, spec: desired });
  const name = desired && revisionName(desired.nodeId, desired.version);
  const taken = leaving.some(({ object }) => object.metadata.name === name && keyOf(object).namespace === namespace);
  const create = desired !== undefined && stored?.owner.uid !== uid && !taken;
  return { all: all.map((one) => withTwin(one, { all, desired })), rivals, needless, create };
}

function withTwin(
  candidate: Candidate,
  { all, desired }: { all: readonly Candidate[]; desired: CompiledSpec | undefined },
): Candidate {
  const twin = candidate.version === desired?.version ? olderTwin(candidate, all)?.object : undefined;
  return twin ? { ...candidate, twin } : candidate;
}

function nameIsOurs({ object, nodeId, version }: RevisionInput): boolean {
  return object.metadata.name === revisionName(nodeId, version);
}

function byName(a: RevisionInput, b: RevisionInput): number {
  return a.object.metadata.name < b.object.metadata.name ? -1 : 1;
}
