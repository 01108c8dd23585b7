import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";

function text(description: string) {
  return Type.Optional(Type.String({ description }));
}

function textMap(description: string) {
  return Type.Optional(Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string" },
    description,
  }));
}

/** Who owns an object; deleted with its owner. */
export const OwnerReference = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  uid: Type.String(),
  controller: Type.Optional(Type.Boolean()),
  blockOwnerDeletion: Type.Optional(Type.Boolean()),
});
export type OwnerReference = Frozen<Static<typeof OwnerReference>>;

/**
 * The part of Kubernetes' ObjectMeta that we read. Other fields may be present and are left alone; the store fills `uid`,
 * `generation`, `resourceVersion` and `creationTimestamp`, so a manifest need not have them.
 */
export const ObjectMeta = Type.Object({
  name: Type.String({ minLength: 1 }),
  namespace: text("Empty means `default`"),
  uid: text("Set by the store"),
  generation: Type.Optional(Type.Integer({ description: "Counts changes of spec" })),
  resourceVersion: text("Changes with every write"),
  creationTimestamp: text("RFC 3339"),
  deletionTimestamp: text("RFC 3339, set while the object is being deleted"),
  labels: textMap("Names to select by"),
  annotations: textMap("Anything else worth noting"),
  finalizers: Type.Optional(Type.Array(Type.String())),
  ownerReferences: Type.Optional(Type.Array(OwnerReference)),
}, { additionalProperties: true });
export type ObjectMeta = Frozen<Static<typeof ObjectMeta>>;

/** Where an object is, as Kubernetes writes it. */
export const ObjectReference = Type.Object({
  apiVersion: text("API version of the referent"),
  kind: text("Kind of the referent"),
  name: text("Name of the referent"),
  namespace: text("Namespace of the referent"),
  uid: text("UID of the referent"),
  fieldPath: text("Part of the referent"),
  resourceVersion: text("Version of the referent"),
}, { description: "Where the object is", "x-kubernetes-map-type": "atomic" });
export type ObjectReference = Frozen<Static<typeof ObjectReference>>;

/** `metav1.Condition`, bounds included. The closed list of types and reasons is in `conditions.ts`. */
export const Condition = Type.Object({
  type: Type.String({ maxLength: 316, description: "What is told" }),
  status: Type.Enum(["True", "False", "Unknown"], { type: "string", description: "Whether it holds" }),
  observedGeneration: Type.Optional(
    Type.Integer({ minimum: 0, format: "int64", description: "Generation of the spec that this was told of" }),
  ),
  lastTransitionTime: Type.String({ format: "date-time", description: "When status changed last" }),
  reason: Type.String({ minLength: 1, maxLength: 1024, description: "One word, for machines" }),
  message: Type.String({ maxLength: 32768, description: "One sentence, for people" }),
}, { description: "One aspect of the state of an object" });
export type Condition = Frozen<Static<typeof Condition>>;

/** What all objects have in common. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}
