import { expect } from "expect";
import { testCases } from "../../../tests/golden/cases.ts";
import { formatPath } from "../../base/mod.ts";
import { envoyRegistry, KIND, readMessage, type Reference, referencesOf } from "../mod.ts";
import { CLUSTER_FIELDS } from "./cluster_fields.ts";

const registry = envoyRegistry();

function lineOf({ item, name, source, path }: Reference): string {
  return `${item} "${name}" from ${source} at ${formatPath(path)}`;
}

testCases(new URL("testdata", import.meta.url), {
  name: "referencesOf()",
  run(input) {
    const message = String(input["message"]);
    const { plain, bytes, findings } = readMessage(registry, message, input["value"]);
    if (!plain || !bytes) throw new Error(`Cannot read the case: ${JSON.stringify(findings)}`);
    const references = referencesOf(registry, message, plain).map(lineOf);
    // What was decoded from the wire, where nothing is attached to an Any, refers to the same.
    expect(referencesOf(registry, message, registry.codec(message).decode(bytes)).map(lineOf)).toEqual(references);
    return { references };
  },
});

/** Fields with a name like that of a reference, which is none: what the process itself is called, headers, labels, counts. */
const NO_REFERENCES = new Set([
  "envoy.config.bootstrap.v3.ClusterManager.local_cluster_name", // has to be static
  "envoy.config.core.v3.Node.cluster",
  "envoy.config.endpoint.v3.ClusterLoadAssignment.cluster_name",
  "envoy.config.endpoint.v3.ClusterStats.cluster_name",
  "envoy.config.endpoint.v3.ClusterStats.cluster_service_name",
  "envoy.config.route.v3.RouteAction.RequestMirrorPolicy.cluster_header",
  "envoy.config.route.v3.RouteAction.cluster_header",
  "envoy.config.route.v3.RouteAction.cluster_specifier_plugin",
  "envoy.config.route.v3.WeightedCluster.ClusterWeight.cluster_header",
  "envoy.extensions.clusters.dynamic_modules.v3.ClusterConfig.cluster_name", // chooses a factory
  "envoy.extensions.filters.http.fault.v3.HTTPFault.upstream_cluster", // a condition
  "envoy.extensions.filters.network.kafka_mesh.v3alpha.ForwardingRule.target_cluster", // of Kafka
  "envoy.extensions.filters.network.kafka_mesh.v3alpha.KafkaClusterDefinition.cluster_name", // of Kafka
  "envoy.extensions.filters.network.reverse_tunnel.v3.ReverseTunnel.required_cluster_name", // of the peer
  "envoy.extensions.filters.network.reverse_tunnel.v3.Validation.cluster_id_format",
  "envoy.extensions.filters.network.thrift_proxy.v3.RouteAction.cluster_header",
  "envoy.extensions.reverse_tunnel_reporters.v3alpha.clients.grpc_client.TunnelInitiatorIdentity.cluster_id",
]);

Deno.test("CLUSTER_FIELDS has every field of the API that names a cluster", () => {
  const unknown: string[] = [];
  for (const name of registry.names()) {
    if (!name.startsWith("envoy.") || /^envoy\.(admin|data|service)\./.test(name)) continue;
    for (const field of registry.message(name)!.fields) {
      if (field.kind !== KIND.STRING || !field.name.includes("cluster") || field.deprecation.deprecated) continue;
      if (CLUSTER_FIELDS.get(name) !== field.name && !NO_REFERENCES.has(`${name}.${field.name}`)) {
        unknown.push(`${name}.${field.name}`);
      }
    }
  }
  expect(unknown).toEqual([]);
  for (const [name, field] of CLUSTER_FIELDS) expect(registry.message(name)?.byName.get(field)?.kind).toBe(KIND.STRING);
});
