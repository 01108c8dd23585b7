import type { EnvoyConfigStatus } from "../../api/mod.ts";
import type { Candidate } from "./candidates.ts";
import { isPublished, revisionStatusOf, taintOf } from "./revision.ts";

/**
 * The status of an EnvoyConfig as if we had written it. An older program marked the revision that it served and knew nothing
 * of publications or of what was accepted: what it serves goes on being served, and is what is gone back to, until something
 * of ours was accepted. `ranked` are the revisions of the EnvoyConfig, the last published one last.
 */
export function takenOver(status: EnvoyConfigStatus, ranked: readonly Candidate[]): EnvoyConfigStatus {
  if (status.publication !== undefined || status.publishedVersion === undefined) return status;
  const older = ranked.flatMap(({ object, version, spec }) =>
    object && version !== spec?.version ? { object, version } : [] // not our hash
  );
  const served = older.findLast(({ object }) => isPublished(object)) ??
    older.find(({ version }) => version === status.publishedVersion);
  if (!served) return status;
  const accepted = status.acknowledgedVersion ?? (taintOf(served.object) ? undefined : served.version);
  return {
    ...status,
    publication: served.version,
    ...(accepted === undefined ? {} : { acknowledgedVersion: accepted }),
  };
}

/**
 * The revision of an older program that says the same as the desired one under a hash of its own, while ours was never
 * published: what Envoys refused of the one they would refuse of the other, so its taint counts for both.
 */
export function olderTwin(
  desired: Pick<Candidate, "version" | "object">,
  candidates: readonly Candidate[],
): Candidate | undefined {
  if (desired.object && revisionStatusOf(desired.object).lastPublishedAt !== undefined) return undefined;
  return candidates.find(({ version, spec }) => version !== desired.version && spec?.version === desired.version);
}
