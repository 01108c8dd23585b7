import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";
import { EnvoyResources } from "./deprecated_resources.ts";
import type { KindDefinition } from "./kind.ts";
import { type ApiObject, Condition, ObjectReference } from "./metadata.ts";
import { GROUP } from "./names.ts";
import { ResourceItem } from "./resource_item.ts";
import { ruleForChanges } from "./validation_rule.ts";

/** `spec.envoyAPI`: left over from times of two APIs; never written back (W36). */
export const envoyApi = Type.Optional(Type.Enum(["v3"], { type: "string", description: "Version of Envoy's API" }));

/** What the user asks for. Exactly one of `resources` and `envoyResources` is present. */
export const EnvoyConfigSpec = Type.Object({
  nodeID: Type.String({ maxLength: 1024, description: "The node.id of the Envoys that shall get this" }),
  serialization: Type.Optional(Type.Enum(["json", "yaml"], {
    type: "string",
    description: "Format of the texts in envoyResources, json when unset; means nothing to resources",
  })),
  envoyAPI: envoyApi,
  envoyResources: Type.Optional(EnvoyResources),
  resources: Type.Optional(Type.Array(ResourceItem, { description: "The Envoy resources of this node" })),
  rollback: Type.Optional(Type.Object({
    rejectedPercent: Type.Optional(Type.Integer({
      minimum: 1,
      maximum: 100,
      description: "A revision is rolled back when this share of the Envoys it was sent to refused it; 100 when unset",
    })),
  }, { description: "When a revision counts as refused" })),
}, {
  description: "What the Envoys of a node id shall do",
  "x-kubernetes-validations": [
    ruleForChanges({
      before: "old.nodeID == self.nodeID",
      rule: "self.nodeID != ''",
      message: "nodeID must not be empty",
    }),
    ruleForChanges({
      before: "has(old.resources) == has(self.resources) && has(old.envoyResources) == has(self.envoyResources)",
      rule: "has(self.resources) != has(self.envoyResources)",
      message: "exactly one of resources and envoyResources must be set",
    }),
  ],
});
export type EnvoyConfigSpec = Frozen<Static<typeof EnvoyConfigSpec>>;

/** How the configured state relates to the served one. A revision that is not the desired one is a `Rollback`. */
export type CacheState = "InSync" | "Rollback" | "RollbackFailed";

function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** What we tell about it. */
export const EnvoyConfigStatus = Type.Object({
  cacheState: Type.Optional(Type.String({ description: "InSync, Rollback or RollbackFailed" })),
  publishedVersion: Type.Optional(Type.String({ description: "Version that is served; empty in RollbackFailed" })),
  desiredVersion: Type.Optional(Type.String({ description: "Version of the current spec" })),
  revisions: Type.Optional(Type.Array(
    Type.Object({ version: Type.String({ description: "Hash of the resources" }), ref: ObjectReference }),
    { description: "Known revisions, the last is the one to publish first" },
  )),
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "Generation that all this tells of" }),
  ),
  acknowledgedVersion: Type.Optional(Type.String({
    description: "Version that all Envoys it was sent to accepted last; it is served when every revision was refused",
  })),
  publication: Type.Optional(Type.String({
    description: "What is served now: a version, and -r<rollbackCount> when Envoys had refused something before",
  })),
  rollbackCount: Type.Optional(Type.Integer({
    description: "How often something was published after a refusal; part of the versions that Envoys are told",
  })),
  rollbacks: Type.Optional(Type.Array(Type.String({ format: "date-time" }), {
    description: "Times of the last publications by rollback alone, since something was last published on request",
  })),
  observedRetry: Type.Optional(Type.String({ description: "Value of the retry annotation that was last acted upon" })),
  pin: Type.Optional(Type.Object({
    value: Type.String({ description: "Value of the pin annotation" }),
    generation: Type.Integer({ format: "int64", description: "Generation that it holds for" }),
    ended: Type.Optional(Type.Boolean({ description: "Whether a retry or a change of the spec has ended it" })),
  }, { description: "The pin annotation as it was acted upon" })),
  clients: Type.Optional(Type.Object({
    connected: count("Envoys that what is served is on offer to"),
    accepted: count("Envoys that accepted every type they ask for"),
    rejected: count("Envoys that refused something of the spec"),
    refusedData: count("Envoys that refused only what was made of Secrets and endpoints"),
    pending: count("Envoys that have not answered everything, those that may come back included"),
  }, { description: "What the Envoys make of what is served; absent until one of them is heard of" })),
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
