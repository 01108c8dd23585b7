/**
 * Envoy's words: the kinds of resources, all message types of its API, and the way from JSON to bytes and back.
 * @module
 */
export { Codec } from "./codec.ts";
export { endpointsNameOf } from "./endpoints_name.ts";
export {
  type AnyMessage,
  attachedMessage,
  type ReadLimits,
  readMessage,
  type ReadOptions,
  readResource,
  type ReadResourceResult,
  type ReadResult,
  typeNameOf,
} from "./read/mod.ts";
export { type Reference, referencesOf, type ReferenceSource } from "./references/mod.ts";
export { type MessageSpot, visitMessages } from "./references/walk.ts";
export { envoyRegistry, Registry } from "./registry.ts";
export {
  type ItemType,
  RESOURCE_TYPES,
  type ResourceType,
  resourceTypeOf,
  resourceTypeOfItem,
} from "./resource_type.ts";
export {
  type EnumDescriptor,
  type FieldDescriptor,
  type FileEntry,
  KIND,
  type MessageDescriptor,
  type MethodDescriptor,
  type OneofDescriptor,
  type Plain,
  type ServiceDescriptor,
} from "./schema/mod.ts";
export { REDACTED, toJson, type ToJsonOptions } from "./write/to_json.ts";
export type { Integer } from "./wire/integer.ts";
