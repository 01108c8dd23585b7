import { crdOf } from "../api/mod.ts";
import { KINDS } from "../api/kinds/mod.ts";
import { discoveryServiceRole } from "./access.ts";
import { certManagerObjects, injectedBy } from "./cert_manager_io.ts";
import type { KubeObject } from "./kube_object.ts";
import { monitoringObjects } from "./monitoring/mod.ts";
import { installLabels } from "./names.ts";
import { networkPolicies } from "./network_policies.ts";
import { operatorObjects } from "./operator.ts";
import type { InstallOptions } from "./options.ts";
import { userRoles } from "./user_roles.ts";
import { webhookConfigurations } from "./webhook_configurations.ts";
import { webhookObjects } from "./webhook.ts";

/** The objects of an installation in the order in which they are wanted; each group needs those before it. */
export interface InstalledObjects {
  readonly crds: readonly KubeObject[];
  /** Absent where one namespace is looked after that was there before. */
  readonly namespace: readonly KubeObject[];
  /** Roles that stay when the rest goes: those of people, and of the discovery services, which go on serving. */
  readonly sharedRoles: readonly KubeObject[];
  readonly operator: readonly KubeObject[];
  readonly webhook: readonly KubeObject[];
  readonly certManager: readonly KubeObject[];
  readonly networkPolicies: readonly KubeObject[];
  readonly monitoring: readonly KubeObject[];
  /** Last: the API server asks as soon as it is told to. */
  readonly webhookConfigurations: readonly KubeObject[];
}

/** Everything that is installed. */
export function installedObjects(options: InstallOptions): InstalledObjects {
  const configurations = webhookConfigurations(options);
  return {
    crds: KINDS.map((kind) => crdOf(kind) as unknown as KubeObject), // a CustomResourceDefinition has a name
    namespace: options.watchNamespaces.includes(options.namespace) ? [] : [namespaceObject(options)],
    sharedRoles: [...userRoles(), discoveryServiceRole()],
    operator: operatorObjects(options),
    webhook: webhookObjects(options),
    certManager: options.certManager.enabled ? certManagerObjects(options) : [],
    networkPolicies: options.networkPolicies.enabled ? networkPolicies(options) : [],
    monitoring: options.monitoring.enabled ? monitoringObjects(options) : [],
    webhookConfigurations: options.certManager.enabled
      ? configurations.map((one) => annotated(one, injectedBy(options)))
      : configurations,
  };
}

/** All of them, in order. */
export function allObjects(objects: InstalledObjects): KubeObject[] {
  return Object.values(objects).flat();
}

/** The namespace of the installation, which admits only pods without rights over their node. */
export function namespaceObject({ namespace }: Pick<InstallOptions, "namespace">): KubeObject {
  const standards = ["enforce", "audit", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]);
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, labels: { ...installLabels(), ...Object.fromEntries(standards) } },
  };
}

function annotated(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}
