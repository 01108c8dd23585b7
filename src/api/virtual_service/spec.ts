import Type, { type Static } from "typebox";
import type { Frozen } from "../frozen.ts";

function port(description: string) {
  return Type.Integer({ minimum: 1, maximum: 65535, format: "int32", description });
}

function labels(description: string) {
  return Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" }, description });
}

/** Most characters of a name and of a hash key: callers put ids of calls into them. */
const MAX_NAME = 1024;

/** Most listeners of an object, and most endpoints of a cluster: far more than anybody has, so that rules on them cost little. */
const MAX_ITEMS = 1000;

/** Where what is received goes: one endpoint, or one for each pod that is selected. */
export const MeshEndpoint = Type.Object({
  name: Type.String({ description: "For people; means nothing to Envoy" }),
  host: Type.Optional(Type.Object({
    selector: Type.Optional(labels("Labels of the pods, all of which must match; those that are Ready are endpoints")),
    address: Type.Optional(Type.String({ maxLength: 253, description: "IP address or DNS name" })),
  }, { maxProperties: 1, description: "Where it is: either selector or address" })),
  port: port("Port that is sent to"),
  health_check_port: Type.Optional(port("Port that is checked; the port itself when unset")),
}, { description: "Where to send" });
export type MeshEndpoint = Frozen<Static<typeof MeshEndpoint>>;

/** The ways in which endpoints get to Envoy. */
export const SERVICE_DISCOVERIES = ["strictdns", "eds"] as const;

/** What stands behind a listener. */
export const MeshCluster = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_NAME, description: "Name of the Envoy cluster" }),
  service_discovery: Type.Enum([...SERVICE_DISCOVERIES], {
    type: "string",
    description: "strictdns: endpoints are part of the cluster, names are resolved by Envoy. eds: endpoints come on " +
      "their own, so that a change of them leaves the cluster alone; IP addresses and selectors only",
  }),
  hash_key: Type.Optional(Type.String({
    maxLength: MAX_NAME,
    description:
      "Constant that is hashed: everything received goes to one endpoint, other keys to others; not when empty",
  })),
  source_ip: Type.Optional(Type.Boolean({
    description: "Hash the address of the sender instead of hash_key: each sender stays with one endpoint",
  })),
  health_check: Type.Optional(Type.Object({
    interval: Type.Integer({ minimum: 1, format: "int32", description: "Milliseconds between two checks" }),
    protocol: Type.Enum(["TCP"], { type: "string", description: "A connection that is accepted is a good sign" }),
  }, { description: "How endpoints are checked; when unset they all count as healthy" })),
  endpoints: Type.Array(MeshEndpoint, { maxItems: MAX_ITEMS, description: "Where to send" }),
}, {
  description: "What stands behind the listener",
  "x-kubernetes-validations": [{
    rule: "!(has(self.source_ip) && self.source_ip && has(self.hash_key) && self.hash_key != '')",
    message: "only one of hash_key and source_ip may be set",
  }],
});
export type MeshCluster = Frozen<Static<typeof MeshCluster>>;

function transport(protocol: "UDP" | "TCP") {
  return Type.Optional(Type.Object({
    port: port(`${protocol} port to listen on, on all addresses`),
    cluster: MeshCluster,
  }, { description: `Listens on ${protocol}` }));
}

/** One Envoy listener and the cluster behind it. Exactly one of `udp` and `tcp` is present. */
export const MeshListener = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    description: "Name of the Envoy listener, unique among all that reaches a pod",
  }),
  udp: transport("UDP"),
  tcp: transport("TCP"),
}, {
  description: "A listener and the cluster behind it",
  "x-kubernetes-validations": [{
    rule: "has(self.udp) != has(self.tcp)",
    message: "exactly one of udp and tcp must be set",
  }],
});
export type MeshListener = Frozen<Static<typeof MeshListener>>;

/** What the Envoys of the selected pods shall do. */
export const VirtualServiceSpec = Type.Object({
  selector: labels("Labels of the pods whose Envoys get this; all must match, and an empty selector selects none"),
  listeners: Type.Optional(Type.Array(MeshListener, { maxItems: MAX_ITEMS, description: "What they listen on" })),
}, { description: "What the Envoys of the selected pods shall do" });
export type VirtualServiceSpec = Frozen<Static<typeof VirtualServiceSpec>>;
