import type { StatedObject, WatchedObject } from "./object_source.ts";
import { removalOf } from "./owned.ts";
import type { PlannedRemoval } from "./planned.ts";

/**
 * The object to be made anew, if one differs in what no API server changes: whom a binding binds, and whether a Service has an
 * address.
 */
export function replacementOf(wanted: StatedObject, found: WatchedObject | undefined): PlannedRemoval[] {
  if (!found) return [];
  const differs = wanted.kind === "RoleBinding"
    ? roleOf(wanted.roleRef) !== roleOf(found.roleRef)
    : wanted.kind === "Service" && isHeadless(wanted.spec) !== isHeadless(found.spec);
  return differs ? [removalOf(found)] : [];
}

function roleOf(roleRef: unknown): string {
  const { kind, name } = (roleRef ?? {}) as { kind?: string; name?: string }; // a RoleRef, by its place
  return `${kind}/${name}`;
}

function isHeadless(spec: unknown): boolean {
  return (spec as { clusterIP?: string } | undefined)?.clusterIP === "None"; // a ServiceSpec, by its place
}
