import { parsePublication, publicationId } from "../../snapshot/mod.ts";
import { keyOf } from "../engine/object_source.ts";
import { Builds } from "./builds.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import { byAge } from "../engine/by_age.ts";
import { compiledConfig } from "./compiled_config.ts";
import { statusOf } from "./config_status.ts";
import { currentPublication } from "./decide.ts";
import type { NodeInputs } from "./inputs.ts";
import type { NodePlan, PlanOptions } from "./node_plan.ts";
import { ranked } from "./order.ts";
import { reportsOn } from "./plan_reports.ts";
import { takenOver } from "./take_over.ts";

/**
 * What a replica does that does not lead: it serves what the status of the EnvoyConfig says, made from the revision of that
 * version, and writes nothing but what its own Envoys say. What cannot be made, because the revision has not arrived yet,
 * leaves what is served as it is.
 */
export function followPlan(inputs: NodeInputs, options: PlanOptions): NodePlan {
  const { nodeId, served, now } = inputs;
  const nothing = { nodeId, first: [], decided: false, events: [], then: [], removals: [], finalized: [], dead: [] };
  const [winner] = byAge(inputs.configs);
  if (!winner) return { ...nothing, output: { kind: "gone" }, lastGood: new Map() };
  const desired = compiledConfig(winner);
  const { all } = candidatesOf(winner, { desired, revisions: inputs.revisions });
  const candidates = ranked(all, desired?.version);
  const status = takenOver(statusOf(winner.object), candidates);
  const publication = currentPublication(status);
  const told = { rejectedPercent: 100, inputs };
  const revisionOf = (version: string | undefined) => find(candidates, version)?.object;
  const reports = reportsOn(publication, { ...told, revision: revisionOf(publication?.version) });
  const report = reports.due ?? lastWord();
  const chosen = find(candidates, publication?.version);
  const builds = publication && new Builds(inputs, { ...options, publicationOf: () => publication });
  const built = chosen && builds?.of(chosen);
  const snapshot = built?.snapshot;
  const retryRefused = status.cacheState === "RollbackFailed" ||
    (status.conditions?.some(({ type, status }) => type === "Flapping" && status === "True") ?? false);
  const same = snapshot === served?.snapshot && retryRefused === served?.retryRefused;
  const { seen, lookAt } = reports;
  return {
    ...nothing,
    output: snapshot && !same ? { kind: "set", snapshot, retryRefused } : { kind: "keep" },
    ...(report ? { report } : {}),
    ...(lookAt !== undefined && lookAt > now ? { lookAt } : {}),
    ...(builds && snapshot ? { served: { snapshot, retryRefused, builds: builds.made } } : served ? { served } : {}),
    ...(seen ? { seen } : {}),
    ...(built && snapshot ? { lastGood: built.lastGood } : {}),
    source: { key: keyOf(winner.object), ...(built ? { built } : {}) },
  };

  /** On what was served until now, for nothing will be said of it later. */
  function lastWord(): NodePlan["report"] {
    const before = served && parsePublication(served.snapshot.revision);
    if (!before || !publication || publicationId(before) === publicationId(publication)) return undefined;
    return reportsOn(before, { ...told, revision: revisionOf(before.version) }).lastWord;
  }
}

function find(candidates: readonly Candidate[], version: string | undefined): Candidate | undefined {
  return candidates.find((candidate) => candidate.version === version);
}
