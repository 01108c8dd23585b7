import { type ApiObject, type Condition, condition, type ReasonOf, type WantedCondition } from "../../api/mod.ts";
import { OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import { type Finding, hasErrors } from "../../base/mod.ts";
import { keyOf, type StatedObject } from "./object_source.ts";
import type { PlannedEvent } from "./planned.ts";

/** Why not everything is as wanted. */
export interface Obstacle {
  readonly reason: Exclude<ReasonOf<"Reconciled">, "AsWanted">;
  readonly message: string;
}

/** Obstacles that go away by themselves are no Event. */
const QUIET: ReadonlySet<string> = new Set(["Paused", "CertificateNotReady"]);

/** What keeps anything from being written for an object at all: somebody says so, or its spec makes no sense. */
export function obstacleIn({ metadata }: ApiObject, findings: readonly Finding[]): Obstacle | undefined {
  if (metadata.annotations?.[OPERATOR_ANNOTATIONS.paused] === "true") {
    return { reason: "Paused", message: "The annotation says to leave it alone" };
  }
  if (!hasErrors(findings)) return undefined;
  const [finding] = findings;
  return { reason: "InvalidSpec", message: `${finding!.path.join(".")} ${finding!.message}` };
}

/** Objects that cannot be made, because others' stand in their places. */
export function nameTaken(taken: readonly StatedObject[]): Obstacle | undefined {
  const [first] = taken;
  if (!first) return undefined;
  const { kind, name } = keyOf(first);
  return { reason: "NameTaken", message: `${kind} "${name}" belongs to somebody else and is left alone` };
}

/** The condition that tells of an obstacle, or that there is none. */
export function reconciled(obstacle: Obstacle | undefined): WantedCondition {
  return obstacle
    ? condition("Reconciled", { status: "False", ...obstacle })
    : condition("Reconciled", { status: "True", reason: "AsWanted", message: "Everything is as wanted" });
}

/** The Event of an obstacle that was not there before (O1). */
export function obstacleEvents(
  object: ApiObject & { readonly status?: { readonly conditions?: readonly Condition[] } },
  obstacle: Obstacle | undefined,
): PlannedEvent[] {
  const before = object.status?.conditions?.find(({ type }) => type === "Reconciled");
  if (!obstacle || QUIET.has(obstacle.reason) || before?.reason === obstacle.reason) return [];
  return [{ about: keyOf(object), type: "Warning", ...obstacle }];
}
