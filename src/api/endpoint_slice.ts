import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";
import { ObjectMeta, ObjectReference } from "./metadata.ts";

const condition = Type.Optional(Type.Boolean());

/** One endpoint of a slice: usually a pod. Absent conditions mean "not known". */
export const SliceEndpoint = Type.Object({
  addresses: Type.Array(Type.String(), { description: "Interchangeable; the first is used" }),
  conditions: Type.Optional(Type.Object({ ready: condition, serving: condition, terminating: condition })),
  hostname: Type.Optional(Type.String()),
  nodeName: Type.Optional(Type.String()),
  zone: Type.Optional(Type.String()),
  targetRef: Type.Optional(ObjectReference),
  hints: Type.Optional(Type.Unknown()),
  deprecatedTopology: Type.Optional(Type.Unknown()),
}, { additionalProperties: true });
export type SliceEndpoint = Frozen<Static<typeof SliceEndpoint>>;

/** One port of a slice. Without a number it stands for all ports. */
export const SlicePort = Type.Object({
  name: Type.Optional(Type.String()),
  port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
  protocol: Type.Optional(Type.String({ description: "TCP when unset" })),
  appProtocol: Type.Optional(Type.String()),
}, { additionalProperties: true });
export type SlicePort = Frozen<Static<typeof SlicePort>>;

/** `discovery.k8s.io/v1` EndpointSlice as far as we read it. */
export const EndpointSlice = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  metadata: ObjectMeta,
  addressType: Type.Enum(["IPv4", "IPv6", "FQDN"], { type: "string" }),
  endpoints: Type.Optional(Type.Array(SliceEndpoint)),
  ports: Type.Optional(Type.Array(SlicePort)),
}, { additionalProperties: true });
export type EndpointSlice = Frozen<Static<typeof EndpointSlice>>;
