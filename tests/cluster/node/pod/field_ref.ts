import type { FieldRef, Pod, ResourceFieldRef } from "./pod.ts";
import { quantity } from "./quantity.ts";

/** What the downward API may tell beside the Pod itself. */
export interface NodeFacts {
  readonly nodeName: string;
  readonly hostIP: string;
  /** Absent before the Pod has one. */
  readonly podIP?: string;
  /** Stand for limits that a container does not have. */
  readonly capacity: { readonly cpu: string; readonly memory: string };
}

/** The text of a `fieldRef`. @throws {Error} for a field that cannot be asked for */
export function fieldText(pod: Pod, ref: FieldRef, facts: NodeFacts): string {
  const { metadata, spec } = pod;
  const keyed = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(ref.fieldPath);
  // The expression allows no other word in its first group.
  if (keyed) return metadata[keyed[1] as "labels" | "annotations"]?.[keyed[2] ?? ""] ?? "";
  switch (ref.fieldPath) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace;
    case "metadata.uid":
      return metadata.uid;
    case "metadata.labels":
      return formatMap(metadata.labels);
    case "metadata.annotations":
      return formatMap(metadata.annotations);
    case "spec.nodeName":
      return facts.nodeName;
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "default";
    case "status.hostIP":
    case "status.hostIPs":
      return facts.hostIP;
    case "status.podIP":
    case "status.podIPs":
      return facts.podIP ?? "";
    default:
      throw new Error(`Cannot give field ${JSON.stringify(ref.fieldPath)}: the node does not know it`);
  }
}

/** The text of a `resourceFieldRef`: the container's quantity, or the node's, divided and rounded up. */
export function resourceText(pod: Pod, ref: ResourceFieldRef, own: string, facts: NodeFacts): string {
  const name = ref.containerName || own;
  const container = [...pod.spec.initContainers ?? [], ...pod.spec.containers].find((one) => one.name === name);
  const [kind, resource = ""] = ref.resource.split(".");
  const { limits = {}, requests = {} } = container?.resources ?? {};
  const capacity: Readonly<Record<string, string>> = facts.capacity;
  const value = (kind === "requests" ? requests[resource] : undefined) ?? limits[resource] ?? capacity[resource] ?? "0";
  const divisor = quantity(ref.divisor || "1");
  return String(Math.ceil(quantity(value) / (divisor === 0 ? 1 : divisor)));
}

function formatMap(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map).sort().map((key) => `${key}=${JSON.stringify(map[key])}`).join("\n");
}
