import { appliedFields } from "./applied_fields.ts";
import type { StatedObject, WatchedObject } from "./object_source.ts";
import { removalOf } from "./owned.ts";
import { FIELD_MANAGER } from "./writing.ts";
import type { PlannedRemoval } from "./planned.ts";

/** The part of a Service that cannot be changed. */
interface ServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly loadBalancerClass?: string;
}

/**
 * The object to be made anew, if one differs in what no API server changes: whom a binding binds, whether a Service has an address,
 * and who makes its load balancer.
 */
export function replacementOf(wanted: StatedObject, found: WatchedObject | undefined): PlannedRemoval[] {
  if (!found) return [];
  const differs = wanted.kind === "RoleBinding"
    ? roleOf(wanted.roleRef) !== roleOf(found.roleRef)
    : wanted.kind === "Service" && (isHeadless(wanted) !== isHeadless(found) || isBalancedByOther(wanted, found));
  return differs ? [removalOf(found)] : [];
}

function roleOf(roleRef: unknown): string {
  const { kind, name } = (roleRef ?? {}) as { kind?: string; name?: string }; // a RoleRef, by its place
  return `${kind}/${name}`;
}

function isHeadless({ spec = {} }: StatedObject | WatchedObject): boolean {
  return (spec as ServiceSpec).clusterIP === "None"; // by its kind
}

/** A class that nobody asks for is replaced only if we had asked for it: platforms set one themselves. */
function isBalancedByOther({ spec: stated = {} }: StatedObject, found: WatchedObject): boolean {
  const [wanted, live] = [stated as ServiceSpec, found.spec as ServiceSpec]; // by their kind
  if (wanted.type !== "LoadBalancer" || live.type !== "LoadBalancer") return false;
  if (wanted.loadBalancerClass !== undefined) return wanted.loadBalancerClass !== live.loadBalancerClass;
  return appliedFields(found, { fieldManager: FIELD_MANAGER })?.["f:spec"]?.["f:loadBalancerClass"] !== undefined;
}
