import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";
import { EnvoyResources } from "./deprecated_resources.ts";
import { envoyApi } from "./envoy_config.ts";
import type { KindDefinition } from "./kind.ts";
import { type ApiObject, Condition } from "./metadata.ts";
import { GROUP } from "./names.ts";
import { ResourceItem } from "./resource_item.ts";
import { neverChanges } from "./validation_rule.ts";

/** One version of an EnvoyConfig's resources, kept to go back to. Written by us, not by users. */
export const EnvoyConfigRevisionSpec = Type.Object({
  nodeID: Type.String({
    maxLength: 1024,
    description: "The node.id of the Envoys this is for",
    "x-kubernetes-validations": [neverChanges("nodeID")],
  }),
  version: Type.String({
    maxLength: 253,
    description: "Hash of the resources",
    "x-kubernetes-validations": [neverChanges("version")],
  }),
  envoyAPI: envoyApi,
  serialization: Type.Optional(Type.Enum(["json", "b64json", "yaml"], {
    type: "string",
    description: "Format of the texts in envoyResources; b64json is a relic",
  })),
  envoyResources: Type.Optional(EnvoyResources),
  resources: Type.Optional(Type.Array(ResourceItem, { description: "The Envoy resources of this revision" })),
}, { description: "The content of the revision" });
export type EnvoyConfigRevisionSpec = Frozen<Static<typeof EnvoyConfigRevisionSpec>>;

/** One refusal, in the words of the Envoy. */
const Rejection = Type.Object({
  stream: Type.String({ description: "The connection, unique within the life of a replica" }),
  client: Type.String({ description: "Name of the pod, or its address" }),
  type: Type.String({ description: "Type URL of the refused response" }),
  version: Type.String({ description: "Version of the refused response" }),
  message: Type.String({ description: "Why, as Envoy says it" }),
  at: Type.String({ format: "date-time", description: "When" }),
});

function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** What the Envoys connected to one replica of the discovery service made of a revision. */
export const ReplicaReport = Type.Object({
  bootId: Type.String({ description: "Names one life of the replica; reports of earlier lives do not count" }),
  publication: Type.String({ description: "What was on offer, as in status.publication of the EnvoyConfig" }),
  connected: count("Envoys it is on offer to"),
  sent: count("Of these, Envoys that something was sent to, or that had all of it already"),
  accepted: count("Envoys that accepted every type they ask for"),
  rejected: count("Envoys that refused something of the spec"),
  refusedData: count("Envoys that refused only what was made of Secrets and endpoints"),
  pending: count("Envoys that have not answered everything"),
  expected: Type.Optional(count("Envoys that were connected a while ago, those that may come back included")),
  expectedUntil: Type.Optional(Type.String({ format: "date-time", description: "How long they may come back" })),
  firstRefusalAt: Type.Optional(Type.String({ format: "date-time", description: "When it was refused first" })),
  rejections: Type.Optional(Type.Array(Rejection, { description: "The first five refusals" })),
}, {
  description: "What Envoys made of it, as one replica sees it",
  "x-kubernetes-map-type": "atomic", // written as a whole by its replica, which then owns one path instead of twenty
});
export type ReplicaReport = Frozen<Static<typeof ReplicaReport>>;

function provided(what: string) {
  return Type.Optional(Type.String({ description: `Version of the ${what}` }));
}

/** What came of a revision. */
export const EnvoyConfigRevisionStatus = Type.Object({
  published: Type.Optional(Type.Boolean({ description: "Whether this revision is the one to serve" })),
  providesVersions: Type.Optional(Type.Object({
    endpoints: provided("endpoints"),
    clusters: provided("clusters"),
    routes: provided("route configurations"),
    scopedRoutes: provided("scoped routes"),
    listeners: provided("listeners"),
    secrets: provided("secrets"),
    runtimes: provided("runtimes"),
    extensionConfigs: provided("extension configurations"),
    virtualHosts: provided("virtual hosts"),
  }, {
    description:
      "Version of each resource type as last published; what is made from Secrets and endpoints counts by its name",
  })),
  lastPublishedAt: Type.Optional(Type.String({ format: "date-time", description: "When it was published last" })),
  tainted: Type.Optional(Type.Boolean({ description: "Whether it was refused and must not be served" })),
  clients: Type.Optional(Type.Unsafe<Record<string, Static<typeof ReplicaReport>>>({
    type: "object",
    additionalProperties: ReplicaReport,
    description: "What the connected Envoys made of it, by replica of the discovery service",
  })),
  conditions: Type.Optional(Type.Array(Condition, { description: "State of this object" })),
}, { description: "What came of it" });
export type EnvoyConfigRevisionStatus = Frozen<Static<typeof EnvoyConfigRevisionStatus>>;

/** A remembered version of an EnvoyConfig. */
export interface EnvoyConfigRevision extends ApiObject {
  readonly spec: EnvoyConfigRevisionSpec;
  readonly status?: EnvoyConfigRevisionStatus;
}

/** The kind EnvoyConfigRevision. */
export const ENVOY_CONFIG_REVISION: KindDefinition = {
  group: GROUP,
  version: "v1alpha1",
  kind: "EnvoyConfigRevision",
  plural: "envoyconfigrevisions",
  singular: "envoyconfigrevision",
  shortNames: ["ecr"],
  description: "EnvoyConfigRevision is one version of an EnvoyConfig",
  printerColumns: [
    { name: "Node ID", jsonPath: ".spec.nodeID", type: "string" },
    { name: "Envoy API", jsonPath: ".spec.envoyAPI", type: "string" },
    { name: "Version", jsonPath: ".spec.version", type: "string" },
    { name: "Published", jsonPath: ".status.published", type: "boolean" },
    { name: "Created At", jsonPath: ".metadata.creationTimestamp", type: "string", format: "date-time" },
    { name: "Last Published At", jsonPath: ".status.lastPublishedAt", type: "string", format: "date-time" },
    { name: "Tainted", jsonPath: ".status.tainted", type: "boolean" },
  ],
  spec: EnvoyConfigRevisionSpec,
  status: EnvoyConfigRevisionStatus,
};
