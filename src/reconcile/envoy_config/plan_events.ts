import type { EnvoyConfigStatus } from "../../api/mod.ts";
import type { ConfigEvent } from "../engine/object_source.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { currentPublication, type Decision } from "./decide.ts";

/** What happened, for people: publications, rollbacks, and their end. Nothing when nothing changed. */
export function eventsOf(object: WatchedObject, before: EnvoyConfigStatus, decision: Decision): ConfigEvent[] {
  const { chosen, cacheState, changed, rolledBack, taints } = decision;
  const about = keyOf(object);
  const version = JSON.stringify(chosen?.candidate.version ?? "");
  const refused = currentPublication(before)?.version ?? "";
  const events: ConfigEvent[] = [];
  if (changed && rolledBack) {
    const why = taints.get(refused)?.message ?? "it was refused";
    const message = `version ${version} is served again instead of ${JSON.stringify(refused)}: ${why}`;
    events.push({ about, type: "Warning", reason: "RolledBack", message });
  } else if (changed) {
    events.push({ about, type: "Normal", reason: "Published", message: `version ${version} is served` });
  }
  if (cacheState === "RollbackFailed" && before.cacheState !== "RollbackFailed") {
    const why = taints.get(before.desiredVersion ?? "")?.message ?? "every version was refused";
    const message = `no version is left to go back to, ${version} is served: ${why}`;
    events.push({ about, type: "Warning", reason: "RollbackFailed", message });
  }
  const failed = before.cacheState === "Rollback" || before.cacheState === "RollbackFailed";
  if (failed && cacheState === "InSync") {
    events.push({ about, type: "Normal", reason: "Recovered", message: `what the spec says is served again` });
  }
  return events;
}
