import Type, { type Static } from "typebox";
import type { Frozen } from "../frozen.ts";
import { Condition } from "../metadata.ts";

function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** One refusal, in the words of the Envoy. */
export const MeshRejection = Type.Object({
  client: Type.String({ description: "Namespace and name of the pod, or the node id" }),
  resource: Type.String({ description: "What was refused: listener, cluster or endpoints, and its name" }),
  message: Type.String({ description: "Why, as Envoy says it" }),
  at: Type.String({ format: "date-time", description: "When" }),
});
export type MeshRejection = Frozen<Static<typeof MeshRejection>>;

/** What Envoys made of a VirtualService. */
const nodes = {
  served: count("Connected Envoys that it is on offer to"),
  accepted: count("Of these, Envoys that accepted all of it"),
  rejected: count("Of these, Envoys that refused something of it"),
};

/** What the Envoys connected to one replica of the discovery service made of it. */
export const MeshReplicaReport = Type.Object({
  bootId: Type.String({ description: "Names one life of the replica; reports of earlier lives do not count" }),
  generation: Type.Integer({ format: "int64", description: "Generation that this tells of" }),
  ...nodes,
  rejections: Type.Optional(Type.Array(MeshRejection, { description: "The first five refusals" })),
}, { description: "What Envoys made of it, as one replica sees it", "x-kubernetes-map-type": "atomic" });
export type MeshReplicaReport = Frozen<Static<typeof MeshReplicaReport>>;

/** What we tell about it. */
export const VirtualServiceStatus = Type.Object({
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "Generation that all this tells of" }),
  ),
  pods: Type.Optional(count("Pods that are selected")),
  nodes: Type.Optional(Type.Object(nodes, { description: "What the Envoys of these pods make of it" })),
  rejections: Type.Optional(Type.Array(MeshRejection, { description: "The first five refusals" })),
  replicas: Type.Optional(Type.Unsafe<Record<string, Static<typeof MeshReplicaReport>>>({
    type: "object",
    additionalProperties: MeshReplicaReport,
    description: "What the connected Envoys made of it, by replica of the discovery service",
  })),
  conditions: Type.Optional(Type.Array(Condition, { description: "State of this object" })),
}, { description: "What came of it" });
export type VirtualServiceStatus = Frozen<Static<typeof VirtualServiceStatus>>;
