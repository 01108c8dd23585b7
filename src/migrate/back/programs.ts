import { DISCOVERY_SERVICE_ROLE, MANAGED_LABELS } from "../../api/operator/mod.ts";
import { INSTALL_NAMESPACE, type KubeObject } from "../../install/mod.ts";
import type { Inventory } from "../inventory.ts";
import { DEPLOYMENTS } from "../older_programs.ts";
import { kubectl, type Remark, remarkOn } from "../remark.ts";

const OURS = { "app.kubernetes.io/name": "chancery" } as const;

/** Namespaces of installations. */
export const NAMESPACES = { apiVersion: "v1", kind: "Namespace", label: "app.kubernetes.io/name=chancery" } as const;
/** Who may do what a discovery service may. */
export const ROLE_BINDINGS = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  label: Object.entries(MANAGED_LABELS).map(([name, value]) => `${name}=${value}`).join(","),
} as const;

const ENFORCED = "pod-security.kubernetes.io/enforce";

/** Our operator and webhook, which have to go before MARIN3R's come. */
export function installations(inventory: Inventory): Remark[] {
  const parts = inventory.of(DEPLOYMENTS).filter(({ metadata: { name, labels } }) =>
    isOurs(labels) && /^chancery-(operator|webhook)$/.test(name)
  );
  return [...Map.groupBy(parts, ({ metadata: { namespace = "default" } }) => namespace)].map(([namespace, [part]]) =>
    remarkOn(part!, "first", {
      message: "Chancery's operator would undo what MARIN3R's does; all that runs and every EnvoyConfig stay",
      next: `chancery uninstall${namespace === INSTALL_NAMESPACE ? "" : ` -n ${namespace}`}`,
    })
  );
}

/** What keeps MARIN3R's operator from making what it needs. */
export function inItsWay(inventory: Inventory): Remark[] {
  const bindings = inventory.of<{ readonly roleRef?: { readonly name?: string } }>(ROLE_BINDINGS)
    .filter(({ roleRef }) => roleRef?.name === DISCOVERY_SERVICE_ROLE)
    .map((binding) =>
      remarkOn(binding, "first", {
        message:
          "it is for a ClusterRole of ours, and nobody can change that: MARIN3R's operator makes its own in its place",
        next: kubectl(binding, `delete rolebinding ${binding.metadata.name}`),
      })
    );
  const namespaces = inventory.of(NAMESPACES).filter(({ metadata: { labels } }) =>
    isOurs(labels) && labels?.[ENFORCED] === "restricted"
  ).map((namespace) =>
    remarkOn(namespace, "first", {
      message: "it admits restricted pods, which those of MARIN3R are not",
      next: `kubectl label namespace ${namespace.metadata.name} ${ENFORCED}-`,
    })
  );
  return [...bindings, ...namespaces];
}

function isOurs(labels: KubeObject["metadata"]["labels"] = {}): boolean {
  return Object.entries(OURS).every(([name, value]) => labels[name] === value);
}
