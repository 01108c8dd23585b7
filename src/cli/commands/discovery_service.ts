import { defineCommand } from "../command.ts";
import { KUBERNETES_OPTIONS, WATCH_OPTIONS } from "../options/kubernetes.ts";
import { LEASE_OPTIONS } from "../options/leases.ts";
import { LOG_OPTIONS, PROCESS_OPTIONS } from "../options/process.ts";
import { ADMIN_HOST_OPTIONS, SERVING_OPTIONS } from "../options/serving.ts";
import { ADMIN_ADDRESS } from "../source/connection.ts";
import { ENVOY_API, VERSION } from "../version.ts";

export const command = defineCommand({
  summary: "Serve the EnvoyConfigs of a Kubernetes cluster to Envoys",
  description:
    "Runs in a pod, in any number of replicas: all of them serve, one of them leads and writes revisions and statuses. A replica is " +
    "ready once all that the API server knows is loaded. Certificates are read again when their files change.\n\n" +
    "SIGTERM and SIGINT let another replica lead, drain and end; a second signal ends at once.",
  options: {
    xdssPort: { type: "integer", value: "PORT", default: "18000", help: "Port that Envoys connect to" },
    xdssHost: { type: "text", value: "ADDRESS", help: "Address that Envoys connect to; all addresses when absent" },
    serverCertificatePath: {
      type: "path",
      value: "DIR",
      default: "/etc/marin3r/tls/server",
      help: "Directory with tls.crt and tls.key of the xDS server",
    },
    caCertificatePath: {
      type: "path",
      value: "DIR",
      default: "/etc/marin3r/tls/ca",
      help:
        "Directory with ca.crt, or tls.crt, of the CA that the certificates of Envoys must be issued by; no key is needed",
    },
    clientCertificatePath: {
      type: "path",
      value: "DIR",
      default: "/etc/marin3r/tls/client",
      help: "Not used: MARIN3R asked itself for its health with it, and probes are answered without a detour here",
    },
    insecureXds: {
      type: "flag",
      help: "Serve plain text: whoever reaches the port can read the secrets that are served",
    },
    virtualServicesOnly: {
      type: "flag",
      help: "Serve VirtualServices and nothing else: EnvoyConfigs, Secrets and EndpointSlices are never asked for",
    },
    nodeIdFromCertificate: {
      type: "flag",
      help: "Serve a node id only to clients whose certificate names it (DNS or URI name, or common name)",
    },
    clientAuthorization: {
      type: "choice",
      choices: ["Off", "Namespace", "NodeID"],
      default: "Off",
      help: "Serve a node id only to clients whose certificate grants it by a URI: " +
        "urn:chancery:namespace:NAMESPACE or, always enough, urn:chancery:node:NAMESPACE:NODE-ID",
    },
    clientAuthorizationWarn: {
      type: "flag",
      help: "Serve all the same whom --client-authorization would refuse, and log a warning",
    },
    ...WATCH_OPTIONS,
    ...PROCESS_OPTIONS,
    adminBind: {
      type: "bind",
      default: ADMIN_ADDRESS,
      help: "Where chancery status asks (kubectl port-forward): HOST:PORT, or 0 for nowhere",
    },
    ...ADMIN_HOST_OPTIONS,
    ...KUBERNETES_OPTIONS,
    replicaName: {
      type: "text",
      value: "NAME",
      help: "Name of this replica; $POD_NAME or the machine's name when absent",
    },
    leaseName: {
      type: "text",
      value: "NAME",
      default: "chancery-discovery-service",
      help: "Lease of the leader; replicas that share it are one group",
    },
    ...LEASE_OPTIONS,
    ...SERVING_OPTIONS,
    ...LOG_OPTIONS,
  },
  examples: [
    {
      run: "chancery discovery-service",
      does:
        "In a pod: serve all namespaces by mutual TLS, with the certificates that are mounted under /etc/marin3r/tls",
    },
    {
      run: "WATCH_NAMESPACE=shop,blog chancery discovery-service --node-id-from-certificate",
      does: "Two namespaces only, and no Envoy gets what its certificate does not name",
    },
    {
      run:
        "WATCH_NAMESPACE=shop chancery discovery-service --client-authorization Namespace --client-authorization-warn",
      does: "Tell in the log which Envoys have no certificate of the namespace yet, and refuse none",
    },
    {
      run: "chancery discovery-service --virtual-services-only --insecure-xds",
      does: "VirtualServices for Envoys that speak plain text to port 18000, as those of l7mp-xds-operator do",
    },
    {
      run: "chancery discovery-service --kubeconfig ~/.kube/config --insecure-xds --xdss-host 127.0.0.1 --debug",
      does: "On a laptop, against the cluster of a kubeconfig, for an Envoy on the same machine",
    },
  ],
  async run(values, context) {
    const { runDiscoveryService } = await import("../../app/discovery_service/mod.ts");
    return await runDiscoveryService(values, { ...context, version: VERSION, envoyApi: ENVOY_API });
  },
});
