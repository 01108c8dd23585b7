import { INJECTION_LABEL } from "../inject/mod.ts";
import type { KubeObject } from "../install/mod.ts";
import { counted } from "./counted.ts";
import type { Inventory } from "./inventory.ts";
import type { Remark } from "./remark.ts";

/** Pods that asked for a sidecar. */
export const PODS = {
  apiVersion: "v1",
  kind: "Pod",
  label: `${INJECTION_LABEL.name}=${INJECTION_LABEL.value}`,
} as const;

/** Pods with sidecars of MARIN3R's webhook, which stay until somebody replaces them. */
export function sidecars(inventory: Inventory): Remark[] {
  const pods = inventory.of(PODS).filter(({ metadata }) =>
    metadata.labels?.[INJECTION_LABEL.name] === INJECTION_LABEL.value
  );
  return [...Map.groupBy(pods, namespaceOf)].map(([namespace, { length }]) => ({
    weight: "stays",
    object: null,
    message: `the sidecars of ${counted(length, "pod")} in namespace ${
      JSON.stringify(namespace)
    }, until a restart brings today's`,
    next: null,
  }));
}

function namespaceOf({ metadata: { namespace = "default" } }: KubeObject): string {
  return namespace;
}
