/**
 * What is installed in a cluster, as a function from options to objects: manifests, chart and bundle are written from it, and
 * `chancery install` applies it.
 * @module
 */
export { rulesOf } from "./access.ts";
export { foreignObjects, tellsWhose } from "./elsewhere.ts";
export { allObjects, type InstalledObjects, installedObjects } from "./installed_objects.ts";
export { finalizersOf, type KubeObject, objectTitle } from "./kube_object.ts";
export { L7MP, type L7mpObjects, l7mpObjects } from "./l7mp.ts";
export { INSTALL_NAMESPACE, partName, WEBHOOK_CONFIGURATIONS } from "./names.ts";
export type { InstallOptions, PassedOn } from "./options.ts";
export { possibleObjects } from "./possible_objects.ts";
export {
  CERT_MANAGER_RIGHTS,
  DISCOVERY_SERVICE_RIGHTS,
  OPERATOR_RIGHTS,
  type Right,
  type Rights,
  VIRTUAL_SERVICE_RIGHTS,
  WEBHOOK_RIGHTS,
} from "./rights.ts";
export { installOptions, type SettingValues } from "./settings/mod.ts";
export { podProblems, unsettled } from "./settled.ts";
export { installStages, type Removal, removalOf } from "./stages.ts";
export { userRoles } from "./user_roles.ts";
export { webhookConfigurations } from "./webhook_configurations.ts";
