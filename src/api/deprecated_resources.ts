import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";

function valueItems(what: string) {
  return Type.Optional(Type.Array(
    Type.Object({
      name: Type.Optional(Type.String({ description: "Ignored; the name inside the value counts" })),
      value: Type.String({ description: "The serialized resource" }),
    }),
    { description: `Serialized ${what}` },
  ));
}

/** The older form of `resources`: texts by type. Converted in memory, never written back. */
export const EnvoyResources = Type.Object({
  endpoints: valueItems("envoy.config.endpoint.v3.ClusterLoadAssignment"),
  clusters: valueItems("envoy.config.cluster.v3.Cluster"),
  routes: valueItems("envoy.config.route.v3.RouteConfiguration"),
  scopedRoutes: valueItems("envoy.config.route.v3.ScopedRouteConfiguration"),
  listeners: valueItems("envoy.config.listener.v3.Listener"),
  runtimes: valueItems("envoy.service.runtime.v3.Runtime"),
  secrets: Type.Optional(Type.Array(
    Type.Object({
      name: Type.String({ description: "Name of a TLS Secret in the same namespace, and of the xDS secret" }),
      ref: Type.Optional(Type.Object({
        name: Type.Optional(Type.String({ description: "Name of the Secret" })),
        namespace: Type.Optional(
          Type.String({ description: "Namespace of the Secret; no other than the object's own" }),
        ),
      }, { description: "Ignored; the Secret is looked up by name" })),
    }),
    { description: "TLS Secrets" },
  )),
  extensionConfigs: valueItems("envoy.config.core.v3.TypedExtensionConfig"),
}, { description: "Deprecated: use resources, which takes the same, and more" });
export type EnvoyResources = Frozen<Static<typeof EnvoyResources>>;
