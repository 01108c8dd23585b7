import { hasAddress } from "./forwards.ts";
import type { Service } from "./service.ts";

/**
 * The variables that tell a container of Services: `kubernetes` always, those of the Pod's namespace when it wants them
 * (`enableServiceLinks`).
 */
export function serviceEnv(services: Iterable<Service>, namespace: string, links: boolean): Map<string, string> {
  const result = new Map<string, string>();
  for (const { metadata, spec } of services) {
    const isApiServer = metadata.namespace === "default" && metadata.name === "kubernetes";
    if (!hasAddress(spec.clusterIP) || !(isApiServer || (links && metadata.namespace === namespace))) continue;
    const prefix = `${metadata.name.toUpperCase().replaceAll("-", "_")}_SERVICE`;
    result.set(`${prefix}_HOST`, spec.clusterIP);
    for (const [index, { name, port }] of (spec.ports ?? []).entries()) {
      if (index === 0) result.set(`${prefix}_PORT`, String(port));
      if (name) result.set(`${prefix}_PORT_${name.toUpperCase().replaceAll("-", "_")}`, String(port));
    }
  }
  return result;
}
