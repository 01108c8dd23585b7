/**
 * The CRD of VirtualService as the original brought it, by what it admitted: hash_key had to be there and could be empty, exactly one of
 * udp and tcp was said in a comment only, and ports had no bounds.
 * @module
 */

const TEXT = { type: "string" };
const PORT = { type: "integer", format: "int32" };
const LABELS = { type: "object", additionalProperties: TEXT };

function object(properties: Record<string, object>, required: readonly string[] = []) {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

const HOST = { ...object({ selector: LABELS, address: TEXT }), maxProperties: 1 };
const ENDPOINT = object({ name: TEXT, host: HOST, port: PORT, health_check_port: PORT }, ["name", "port"]);
const CLUSTER = object({
  name: TEXT,
  service_discovery: { type: "string", enum: ["strictdns", "eds"] },
  hash_key: TEXT,
  health_check: object({ interval: PORT, protocol: { type: "string", enum: ["TCP"] } }, ["interval", "protocol"]),
  endpoints: { type: "array", items: ENDPOINT },
}, ["name", "service_discovery", "hash_key", "endpoints"]);
const LISTENER = object({
  name: TEXT,
  udp: object({ port: PORT, cluster: CLUSTER }, ["port", "cluster"]),
  tcp: object({ port: PORT, cluster: CLUSTER }, ["port"]),
}, ["name"]);

/** The earlier CRD of VirtualService; its status could hold nothing. */
export const EARLIER_VIRTUAL_SERVICE = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "virtualservices.servicemesh.l7mp.io" },
  spec: {
    group: "servicemesh.l7mp.io",
    scope: "Namespaced",
    names: {
      kind: "VirtualService",
      listKind: "VirtualServiceList",
      plural: "virtualservices",
      singular: "virtualservice",
    },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: object({
          apiVersion: TEXT,
          kind: TEXT,
          metadata: { type: "object" },
          spec: object({ selector: LABELS, listeners: { type: "array", items: LISTENER } }, ["selector"]),
          status: { type: "object" },
        }),
      },
    }],
  },
};
