import { condition, type ConditionType, type WantedCondition } from "../../api/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import { generation, has } from "./config_status.ts";
import type { Decision } from "./decide.ts";
import { type Tally, tallyText } from "./verdict.ts";

/** What is told of revisions, and of nothing else. */
export const ROLLBACK_CONDITIONS: readonly ConditionType[] = [
  "RollbackFailed",
  "ClientsRejecting",
  "Pinned",
  "Flapping",
];

/** What there is to say about refusals, rollbacks and pins. What never was is not told. */
export function rollbackConditions(
  object: WatchedObject,
  { decision, tally, pinEnded }: { decision: Decision; tally: Tally | undefined; pinEnded: boolean },
): WantedCondition[] {
  return [
    rollbackFailed(object, decision),
    clientsRejecting(object, tally),
    pinned(object, decision, pinEnded),
    flapping(object, decision),
  ].filter((one) => one !== undefined);
}

function rollbackFailed(object: WatchedObject, { cacheState, chosen }: Decision): WantedCondition | undefined {
  if (cacheState === "RollbackFailed") {
    const served = chosen
      ? `version ${JSON.stringify(chosen.candidate.version)} is served meanwhile`
      : "nothing is served";
    const message = `no version is left that was not refused; ${served}`;
    return condition("RollbackFailed", {
      status: "True",
      reason: "AllRevisionsTainted",
      message,
      ...generation(object),
    });
  }
  if (!has(object, "RollbackFailed")) return undefined;
  const message = "there is a version again that was not refused";
  return condition("RollbackFailed", { status: "False", reason: "Recovered", message, ...generation(object) });
}

function clientsRejecting(object: WatchedObject, tally: Tally | undefined): WantedCondition | undefined {
  if (tally && tally.rejected > 0) {
    const message = tallyText(tally);
    return condition("ClientsRejecting", {
      status: "True",
      reason: "SomeClientsRefuse",
      message,
      ...generation(object),
    });
  }
  if (!has(object, "ClientsRejecting")) return undefined;
  const message = "no connected Envoy refuses what is served";
  return condition("ClientsRejecting", { status: "False", reason: "NoClientRefuses", message, ...generation(object) });
}

const PINNED = {
  VersionPinned: "is served because it is pinned",
  VersionNotFound: "is pinned, but there is no revision of it",
  VersionTainted: "is pinned, but Envoys refused it or it cannot be loaded",
} as const;

function pinned(object: WatchedObject, decision: Decision, pinEnded: boolean): WantedCondition | undefined {
  const { pinned, pinnedVersion } = decision;
  if (pinned) {
    const message = `version ${JSON.stringify(pinnedVersion ?? "")} ${PINNED[pinned]}`;
    const status = pinned === "VersionPinned" ? "True" : "False";
    return condition("Pinned", { status, reason: pinned, message, ...generation(object) });
  }
  if (!pinEnded || !has(object, "Pinned")) return undefined;
  const message = "the pin has ended: the spec was changed, or a retry was asked for";
  return condition("Pinned", { status: "False", reason: "PinEnded", message, ...generation(object) });
}

function flapping(object: WatchedObject, { heldUntil }: Decision): WantedCondition | undefined {
  if (heldUntil !== undefined) {
    const until = new Date(heldUntil).toISOString();
    const message = `several versions in a row were refused, the next rollback waits until ${until}`;
    return condition("Flapping", { status: "True", reason: "TooManyRollbacks", message, ...generation(object) });
  }
  if (!has(object, "Flapping")) return undefined;
  const message = "no rollback waits";
  return condition("Flapping", { status: "False", reason: "Settled", message, ...generation(object) });
}
