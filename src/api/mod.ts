/**
 * Our kinds and the few Kubernetes kinds we touch: one schema is the type, the check, the CRD and the reference page.
 * @module
 */
export { checkSchema } from "./check.ts";
export { type ReadableSpec, type ReadEnvoyConfig, readEnvoyConfig } from "./check_envoy_config.ts";
export { checkItem } from "./check_item.ts";
export {
  condition,
  CONDITIONS,
  type ConditionType,
  mergeConditions,
  type ReasonOf,
  sameStatus,
  type WantedCondition,
} from "./conditions.ts";
export { crdOf } from "./crd.ts";
export { EnvoyResources } from "./deprecated_resources.ts";
export { dropNulls } from "./drop_nulls.ts";
export { EndpointSlice, SliceEndpoint, SlicePort } from "./endpoint_slice.ts";
export { type CacheState, ENVOY_CONFIG, type EnvoyConfig, EnvoyConfigSpec, EnvoyConfigStatus } from "./envoy_config.ts";
export {
  ENVOY_CONFIG_REVISION,
  type EnvoyConfigRevision,
  EnvoyConfigRevisionSpec,
  EnvoyConfigRevisionStatus,
  ReplicaReport,
} from "./envoy_config_revision.ts";
export type { KindDefinition, PrinterColumn } from "./kind.ts";
export { checkSelector, LabelSelector, matchesSelector, SELECTOR_OPERATORS } from "./label_selector.ts";
export { lostFields, type ServedSchema } from "./lost_fields.ts";
export { type ApiObject, Condition, ObjectMeta, ObjectReference, OwnerReference } from "./metadata.ts";
export {
  ANNOTATIONS,
  API_VERSION,
  AUTHORITY_LABEL,
  FAILURE_POLICY_ANNOTATION,
  GROUP,
  LABELS,
  LEGACY_FINALIZER,
  OPERATOR_API_VERSION,
  OPERATOR_GROUP,
  SERVICE_NAME_LABEL,
} from "./names.ts";
export {
  BLUEPRINTS,
  EndpointSlicesSource,
  ITEM_TYPES,
  type ItemTypeName,
  OpaqueSecretSource,
  ResourceItem,
} from "./resource_item.ts";
export { Secret, secretBytes, secretKeys } from "./secret.ts";
