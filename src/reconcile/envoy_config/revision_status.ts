import { condition, type ConditionType, mergeConditions, type WantedCondition } from "../../api/mod.ts";
import { canonicalJson } from "../../base/mod.ts";
import { shortHash } from "../../base/hash/mod.ts";
import { resourceTypeOf } from "../../envoy/mod.ts";
import type { Snapshot, TypeSnapshot } from "../../snapshot/mod.ts";
import type { WantedStatus } from "../engine/apply_statuses.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { Taint } from "./decide.ts";
import { isPublished, revisionStatusOf } from "./revision.ts";

/** What a revision is told. */
export interface RevisionTold {
  /** Absent when it is not the one that is served. */
  readonly published?: {
    /** Absent to leave the time at which it was published. */
    readonly at?: string;
    readonly snapshot: Snapshot | undefined;
  };
  readonly taint: Taint | undefined;
  readonly now: number;
}

/** The status of a revision; what others report in it stays. */
export function revisionStatus(object: WatchedObject, { published, taint, now }: RevisionTold): WantedStatus {
  const { published: _p, tainted: _t, lastPublishedAt, providesVersions, conditions = [], ...kept } = revisionStatusOf(
    object,
  );
  const wanted: WantedCondition[] = [];
  const removed: ConditionType[] = [];
  if (published) wanted.push(...publishedConditions(object, published.snapshot !== undefined));
  else removed.push("RevisionPublished", "ResourcesInSync");
  if (taint) wanted.push(condition("RevisionTainted", { status: "True", ...taint }));
  else removed.push("RevisionTainted");
  const publishedAt = published?.at ?? lastPublishedAt;
  const provided = published?.snapshot ? typeVersions(published.snapshot) : providesVersions;
  const merged = mergeConditions(conditions, wanted, { now, removed });
  return {
    object,
    status: {
      ...kept,
      published: published !== undefined,
      tainted: taint !== undefined,
      ...(publishedAt === undefined ? {} : { lastPublishedAt: publishedAt }),
      ...(provided === undefined ? {} : { providesVersions: provided }),
      ...(merged.length === 0 ? {} : { conditions: merged }),
    },
  };
}

/** A revision that is another EnvoyConfig's is not the one that is served, whatever it says; all else is not ours. */
export function rivalStatus(object: WatchedObject, now: number): WantedStatus {
  const { conditions = [], ...kept } = revisionStatusOf(object);
  if (!isPublished(object) && kept.published !== true) return { object, status: { ...revisionStatusOf(object) } };
  const left = mergeConditions(conditions, [], { now, removed: ["RevisionPublished", "ResourcesInSync"] });
  return { object, status: { ...kept, published: false, conditions: left } };
}

function publishedConditions({ metadata }: WatchedObject, served: boolean): WantedCondition[] {
  const version = metadata.name;
  return [
    condition("RevisionPublished", {
      status: "True",
      reason: "VersionPublished",
      message: `revision ${JSON.stringify(version)} is served`,
    }),
    served
      ? condition("ResourcesInSync", { status: "True", reason: "ResourcesSynced", message: "its snapshot is served" })
      : condition("ResourcesInSync", {
        status: "False",
        reason: "SnapshotDoesNotExist",
        message: "there is no snapshot of it",
      }),
  ];
}

const TYPE_VERSIONS = new WeakMap<TypeSnapshot, string>();

/** One version per type. What is made of Secrets and endpoints counts by its name, so that their churn writes nothing. */
function typeVersions({ types }: Snapshot): Record<string, string> {
  return Object.fromEntries(
    [...types.values()].flatMap((type) => {
      const plural = resourceTypeOf(type.typeUrl)?.plural;
      return plural === undefined ? [] : [[plural, typeVersion(type)]];
    }),
  );
}

function typeVersion(type: TypeSnapshot): string {
  let version = TYPE_VERSIONS.get(type);
  if (version === undefined) {
    const pairs = [...type.resources.values()].map(({ name, version, external }) => [name, external ? "" : version]);
    TYPE_VERSIONS.set(type, version = shortHash(canonicalJson(pairs)));
  }
  return version;
}
