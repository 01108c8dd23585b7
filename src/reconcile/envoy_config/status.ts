import {
  condition,
  type ConditionType,
  type EnvoyConfigStatus,
  mergeConditions,
  type WantedCondition,
} from "../../api/mod.ts";
import { type Finding, formatFinding } from "../../base/mod.ts";
import type { Built, MissingSource } from "../../snapshot/mod.ts";
import type { WantedStatus } from "../engine/apply_statuses.ts";
import type { Decision } from "./decide.ts";
import { ROLLBACK_CONDITIONS, rollbackConditions } from "./rollback_conditions.ts";
import type { Tally } from "./verdict.ts";
import { generation, has, statusOf } from "./config_status.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import type { ConfigInput } from "./inputs.ts";

/** What an EnvoyConfig is told of its publication; only what it is not told of the state is dropped. */
type Told = Omit<EnvoyConfigStatus, "conditions">;

/** The status of the EnvoyConfig that its node id is served from. */
export function servingStatus(
  { object, read }: ConfigInput,
  { told, decision, desired, others, tally, now }: {
    told: Told;
    decision: Decision;
    /** The build of what the spec says; absent when the spec cannot be read. */
    desired: Built | undefined;
    others: readonly ConfigInput[];
    /** What Envoys make of what is published; absent while that is not known. */
    tally: Tally | undefined;
    now: number;
  },
): WantedStatus {
  const findings = [...read.findings, ...desired?.findings ?? []];
  const conditions = [valid(findings, object)];
  const removed: ConditionType[] = [];
  if (decision.chosen) conditions.push(resolved(decision.chosen.built.missing, object));
  else removed.push("ResourcesResolved");
  if (decision.cacheState !== "InSync") {
    conditions.push(outOfSync(object, whyOutOfSync(decision, told.desiredVersion)));
  } else if (has(object, "CacheOutOfSync")) conditions.push(inSync(object));
  if (others.length > 0) conditions.push(shared(object, others));
  else if (has(object, "Conflict")) conditions.push(noConflict(object));
  conditions.push(...rollbackConditions(object, { decision, tally, pinEnded: told.pin?.ended ?? false }));
  if (told.pin === undefined && decision.pinned === undefined) removed.push("Pinned");
  return { object, status: merged(object, told, { conditions, removed, now }) };
}

/** The status of an EnvoyConfig whose node id an older one has (W3). */
export function conflictStatus(
  { object, read }: ConfigInput,
  { winner, desired, now }: { winner: ConfigInput; desired: string | undefined; now: number },
): WantedStatus {
  const message = `node id ${JSON.stringify(nodeIdOf(object))} is served from the older EnvoyConfig ${
    nameOf(winner.object)
  }`;
  const conditions = [
    condition("Conflict", { status: "True", reason: "NodeIdInUse", message, ...generation(object) }),
    outOfSync(object),
  ];
  const removed: ConditionType[] = ["ResourcesResolved"];
  if (read.config) removed.push("Valid"); // nobody looked inside its values
  else conditions.push(valid(read.findings, object));
  const { rollbackCount, observedRetry } = statusOf(object);
  const told = {
    publishedVersion: "",
    ...(desired === undefined ? {} : { desiredVersion: desired }),
    ...(rollbackCount === undefined ? {} : { rollbackCount }),
    ...(observedRetry === undefined ? {} : { observedRetry }),
  };
  return { object, status: merged(object, told, { conditions, removed, now }) };
}

/** The status of an object that names no node id at all. */
export function unreadableStatus({ object, read }: ConfigInput, now: number): WantedStatus {
  const conditions = [valid(read.findings, object)];
  const options = { conditions, removed: ["ResourcesResolved", "Conflict"] as const, now };
  return { object, status: merged(object, { publishedVersion: "" }, options) };
}

/** The whole status: `told` and the conditions. Conditions of the rollback are dropped where nothing is served. */
function merged(
  object: WatchedObject,
  told: Told,
  { conditions, removed, now }: {
    conditions: readonly WantedCondition[];
    removed: readonly ConditionType[];
    now: number;
  },
): Record<string, unknown> {
  const { conditions: stored = [] } = statusOf(object);
  const gone = told.cacheState === undefined ? [...removed, ...ROLLBACK_CONDITIONS] : removed;
  const { generation: observedGeneration } = object.metadata;
  return {
    ...told,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    conditions: mergeConditions(stored, conditions, { now, removed: gone }),
  };
}

function valid(findings: readonly Finding[], object: WatchedObject): WantedCondition {
  const errors = findings.filter((finding) => finding.severity === "error");
  if (errors.length > 0) {
    const message = summary(errors);
    return condition("Valid", { status: "False", reason: "InvalidResources", message, ...generation(object) });
  }
  const reason = findings.length > 0 ? "SpecHasWarnings" : "SpecIsValid";
  const message = findings.length > 0 ? summary(findings) : "every item was read";
  return condition("Valid", { status: "True", reason, message, ...generation(object) });
}

const MISSING_REASONS = {
  "secret-not-found": "SecretNotFound",
  "secret-not-usable": "SecretNotUsable",
  "endpoints-not-found": "EndpointsNotFound",
} as const;

function resolved(missing: readonly MissingSource[], object: WatchedObject): WantedCondition {
  const [first] = missing;
  if (!first) {
    const message = "every Secret and EndpointSlice was found";
    return condition("ResourcesResolved", { status: "True", reason: "AllResolved", message, ...generation(object) });
  }
  const lines = missing.map(({ message, served }) =>
    served === "last-good" ? `${message} (last good is served)` : message
  );
  return condition("ResourcesResolved", {
    status: "False",
    reason: MISSING_REASONS[first.kind],
    message: first3([...new Set(lines)]),
    ...generation(object),
  });
}

/** In Envoy's words where Envoys are the reason (W10). */
function whyOutOfSync({ chosen, taints, pinned, pinnedVersion }: Decision, desired: string | undefined): string {
  const served = chosen ? `version ${JSON.stringify(chosen.candidate.version)} is served` : "nothing is served";
  if (desired === undefined) return `the spec cannot be read, ${served}`;
  if (pinned === "VersionPinned") return `version ${JSON.stringify(pinnedVersion)} is pinned, ${served}`;
  const why = taints.get(desired)?.message;
  const what = chosen?.candidate.version === desired
    ? `${served}, as nothing better is left`
    : `version ${JSON.stringify(desired)} is not to be served, ${served}`;
  return `${what}${why === undefined ? "" : `; ${why}`}`;
}

const OTHER_IS_SERVED = "what is served is not what the spec says";

function outOfSync(object: WatchedObject, message = OTHER_IS_SERVED): WantedCondition {
  return condition("CacheOutOfSync", {
    status: "True",
    reason: "CantPublishDesiredVersion",
    message,
    ...generation(object),
  });
}

function inSync(object: WatchedObject): WantedCondition {
  const message = "what the spec says is served";
  return condition("CacheOutOfSync", {
    status: "False",
    reason: "DesiredVersionPublished",
    message,
    ...generation(object),
  });
}

function shared(object: WatchedObject, others: readonly ConfigInput[]): WantedCondition {
  const message = `this one is served; the same node id is in ${first3(others.map((other) => nameOf(other.object)))}`;
  return condition("Conflict", { status: "False", reason: "NodeIdShared", message, ...generation(object) });
}

function noConflict(object: WatchedObject): WantedCondition {
  const message = "no other EnvoyConfig has this node id";
  return condition("Conflict", { status: "False", reason: "NoConflict", message, ...generation(object) });
}

function summary(findings: readonly Finding[]): string {
  return first3(findings.map((finding) => formatFinding(finding)));
}

function first3(lines: readonly string[]): string {
  const rest = lines.length - 3;
  return `${lines.slice(0, 3).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

/** The node id of an object as it is stored, read or not. */
export function nodeIdOf(object: WatchedObject): string | undefined {
  const { spec } = object;
  return spec !== null && typeof spec === "object" && "nodeID" in spec && typeof spec.nodeID === "string"
    ? spec.nodeID
    : undefined;
}

function nameOf(object: WatchedObject): string {
  const { namespace, name } = keyOf(object);
  return JSON.stringify(`${namespace}/${name}`);
}
