import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";
import { EnvoyResources } from "./deprecated_resources.ts";
import type { KindDefinition } from "./kind.ts";
import { type ApiObject, Condition, ObjectReference } from "./metadata.ts";
import { GROUP } from "./names.ts";
import { ResourceItem } from "./resource_item.ts";

/** `spec.envoyAPI`: left over from times of two APIs; never written back (W36). */
export const envoyApi = Type.Optional(Type.Enum(["v3"], { type: "string", description: "Version of Envoy's API" }));

/** What the user asks for. Exactly one of `resources` and `envoyResources` is present. */
export const EnvoyConfigSpec = Type.Object({
  nodeID: Type.String({ description: "The node.id of the Envoys that shall get this" }),
  serialization: Type.Optional(Type.Enum(["json", "yaml"], {
    type: "string",
    description: "Format of the texts in envoyResources, json when unset; means nothing to resources",
  })),
  envoyAPI: envoyApi,
  envoyResources: Type.Optional(EnvoyResources),
  resources: Type.Optional(Type.Array(ResourceItem, { description: "The Envoy resources of this node" })),
}, { description: "What the Envoys of a node id shall do" });
export type EnvoyConfigSpec = Frozen<Static<typeof EnvoyConfigSpec>>;

/** How the configured state relates to the served one. A revision that is not the desired one is a `Rollback`. */
export type CacheState = "InSync" | "Rollback" | "RollbackFailed";

/** What we tell about it. */
export const EnvoyConfigStatus = Type.Object({
  cacheState: Type.Optional(Type.String({ description: "InSync, Rollback or RollbackFailed" })),
  publishedVersion: Type.Optional(Type.String({ description: "Version that is served; empty in RollbackFailed" })),
  desiredVersion: Type.Optional(Type.String({ description: "Version of the current spec" })),
  revisions: Type.Optional(Type.Array(
    Type.Object({ version: Type.String({ description: "Hash of the resources" }), ref: ObjectReference }),
    { description: "Known revisions, the last is the one to publish first" },
  )),
  conditions: Type.Optional(Type.Array(Condition, { description: "State of this object" })),
}, { description: "What came of it" });
export type EnvoyConfigStatus = Frozen<Static<typeof EnvoyConfigStatus>>;

/** The configuration of all Envoys with one node id. */
export interface EnvoyConfig extends ApiObject {
  readonly spec: EnvoyConfigSpec;
  readonly status?: EnvoyConfigStatus;
}

/** The kind EnvoyConfig. */
export const ENVOY_CONFIG: KindDefinition = {
  group: GROUP,
  version: "v1alpha1",
  kind: "EnvoyConfig",
  plural: "envoyconfigs",
  singular: "envoyconfig",
  shortNames: ["ec"],
  description: "EnvoyConfig holds the configuration of the Envoys with one node id",
  printerColumns: [
    { name: "Node ID", jsonPath: ".spec.nodeID", type: "string" },
    { name: "Envoy API", jsonPath: ".spec.envoyAPI", type: "string" },
    { name: "Desired Version", jsonPath: ".status.desiredVersion", type: "string" },
    { name: "Published Version", jsonPath: ".status.publishedVersion", type: "string" },
    { name: "Cache State", jsonPath: ".status.cacheState", type: "string" },
  ],
  spec: EnvoyConfigSpec,
  status: EnvoyConfigStatus,
};
