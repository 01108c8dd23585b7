import type { KubeObject } from "../../install/mod.ts";

/** A Deployment, as far as it says what its pods run. */
export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly args?: readonly string[] }[] } };
  };
}

/** Which of MARIN3R's roles a Deployment runs; `undefined` for all other Deployments. */
export function olderRole(deployment: Deployment): "operator" | "webhook" | undefined {
  if (!isOlder(deployment)) return undefined;
  const words = (deployment.spec?.template?.spec?.containers ?? []).map(({ args }) => args?.[0]);
  return (["operator", "webhook"] as const).find((role) => words.includes(role));
}

/** Whether MARIN3R's operator works in the pods of a Deployment, or will as soon as there is a node for them. */
export function isWorkingOperator(deployment: Deployment): boolean {
  return olderRole(deployment) === "operator" && deployment.spec?.replicas !== 0;
}

/** By what MARIN3R's manifests and bundles call them. */
function isOlder({ metadata: { name, labels = {} } }: KubeObject): boolean {
  if (labels["app.kubernetes.io/name"] === "chancery") return false;
  return /^marin3r-controller-/.test(name) || /^controller-(manager|webhook)$/.test(labels["control-plane"] ?? "");
}
