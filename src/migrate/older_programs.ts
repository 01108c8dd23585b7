import type { KubeObject } from "../install/mod.ts";
import type { Inventory } from "./inventory.ts";
import { kubectl, type Remark, remarkOn } from "./remark.ts";

/** Deployments, of which some run an older program. */
export const DEPLOYMENTS = { apiVersion: "apps/v1", kind: "Deployment" } as const;

interface Deployment {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly args?: readonly string[] }[] } };
  };
}

/** MARIN3R's operator and webhook, which do what ours do: two operators undo each other's work. */
export function olderPrograms(inventory: Inventory): Remark[] {
  return inventory.of<Deployment>(DEPLOYMENTS).filter(isOlder).flatMap((deployment) => {
    const { metadata: { name }, spec } = deployment;
    const role = roleOf(deployment);
    if (role === "operator" && spec?.replicas !== 0) {
      const message = "MARIN3R's operator runs here, and two operators undo each other's work";
      return [
        remarkOn(deployment, "first", {
          message,
          next: kubectl(deployment, `scale deployment ${name} --replicas=0`),
        }),
      ];
    }
    if (role === undefined) return [];
    const message = `MARIN3R's ${role} is not needed any more once Chancery is installed; remove it then, not its CRDs`;
    return [remarkOn(deployment, "changes", { message, next: kubectl(deployment, `delete deployment ${name}`) })];
  });
}

/** By what MARIN3R's manifests and bundles call them. */
function isOlder({ metadata: { name, labels = {} } }: KubeObject): boolean {
  if (labels["app.kubernetes.io/name"] === "chancery") return false;
  return /^marin3r-controller-/.test(name) || /^controller-(manager|webhook)$/.test(labels["control-plane"] ?? "");
}

function roleOf({ spec }: Deployment): "operator" | "webhook" | undefined {
  const words = (spec?.template?.spec?.containers ?? []).map(({ args }) => args?.[0]);
  return (["operator", "webhook"] as const).find((role) => words.includes(role));
}
