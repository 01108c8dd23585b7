import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";
import { LabelSelector } from "./label_selector.ts";

/** The kinds of Envoy resource an item may hold. `virtualHost` is ours, the others are as they always were. */
export const ITEM_TYPES = [
  "listener",
  "route",
  "scopedRoute",
  "cluster",
  "endpoint",
  "secret",
  "runtime",
  "extensionConfig",
  "virtualHost",
] as const;
export type ItemTypeName = typeof ITEM_TYPES[number];

/** What a TLS Secret is turned into. */
export const BLUEPRINTS = ["tlsCertificate", "validationContext"] as const;

/** One key of a Secret under a name of its own. */
export const OpaqueSecretSource = Type.Object({
  name: Type.String({ description: "Name of the Secret" }),
  key: Type.String({ description: "Key of the Secret that holds the bytes" }),
  alias: Type.String({ description: "Name of the xDS secret" }),
}, { description: "Makes an xDS generic secret from one key of a Secret in the same namespace" });
export type OpaqueSecretSource = Frozen<Static<typeof OpaqueSecretSource>>;

/** Pods of a Service, by way of its EndpointSlices. */
export const EndpointSlicesSource = Type.Object({
  selector: LabelSelector,
  clusterName: Type.String({ description: "Name of the ClusterLoadAssignment" }),
  targetPort: Type.Unsafe<string | number>({
    "x-kubernetes-int-or-string": true,
    description: "Port of the endpoints, looked up in each slice: its name or its number",
  }),
}, { description: "Makes the endpoints of a cluster from the EndpointSlices in the same namespace that match" });
export type EndpointSlicesSource = Frozen<Static<typeof EndpointSlicesSource>>;

/** One item of `spec.resources`. */
export const ResourceItem = Type.Object({
  type: Type.Enum([...ITEM_TYPES], { type: "string", description: "Which Envoy resource the item is" }),
  value: Type.Optional(Type.Unsafe<Record<string, unknown>>({
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    description: "The resource in proto3 JSON; not for type secret",
  })),
  generateFromTlsSecret: Type.Optional(Type.String({
    description: "Name of a TLS Secret in the same namespace; only for type secret",
  })),
  generateFromOpaqueSecret: Type.Optional(OpaqueSecretSource),
  generateFromEndpointSlices: Type.Optional(EndpointSlicesSource),
  blueprint: Type.Optional(Type.Enum([...BLUEPRINTS], {
    type: "string",
    description: "What to make of a TLS Secret: tlsCertificate (from tls.crt and tls.key) when unset, or " +
      "validationContext (from ca.crt, or tls.crt where there is none)",
  })),
  alias: Type.Optional(Type.String({
    minLength: 1,
    description: "Name of the xDS secret made from a TLS Secret. When unset it is the Secret's name, or " +
      "<Secret>/validationContext for a validation context whose Secret also gives a certificate under its name",
  })),
  routeConfiguration: Type.Optional(Type.String({
    minLength: 1,
    description: "Name of the route configuration a virtualHost belongs to; only for type virtualHost",
  })),
}, { description: "An Envoy resource" });
export type ResourceItem = Frozen<Static<typeof ResourceItem>>;
