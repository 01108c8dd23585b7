import { defineCommand } from "../command.ts";
import { ENVOY_IMAGE_OPTIONS, IMAGE } from "../options/images.ts";
import { KUBERNETES_OPTIONS, WATCH_OPTIONS } from "../options/kubernetes.ts";
import { LEASE_OPTIONS } from "../options/leases.ts";
import { LOG_OPTIONS, PROCESS_OPTIONS } from "../options/process.ts";
import { ENVOY_API, VERSION } from "../version.ts";

export const command = defineCommand({
  summary: "Refuse bad EnvoyConfigs, and give pods their sidecars",
  description:
    "Admission webhooks of Kubernetes. For EnvoyConfigs it refuses what Envoy would refuse, with every finding and its " +
    "path, and a node id that is taken; it warns of what is legal and likely wrong. An update that leaves the spec alone " +
    "always passes. Any number of replicas may run; nothing is written but, with --webhook-service, a Lease of each.\n\n" +
    'Pods with the label "marin3r.3scale.net/status: enabled" get the Envoy that their annotations ask for, or are refused ' +
    "with all that is wrong.\n\n" +
    "It is ready once its certificate is loaded and the EnvoyConfigs and DiscoveryServices are known. The certificate is read again when its files " +
    "change. SIGTERM and SIGINT end it after --shutdown-delay; a second signal ends it at once.",
  options: {
    webhookPort: { type: "integer", value: "PORT", default: "9443", help: "Port that the API server calls" },
    webhookHost: {
      type: "text",
      value: "ADDRESS",
      help: "Address that the API server calls; all addresses when absent",
    },
    tlsDir: {
      type: "path",
      value: "DIR",
      default: "/tmp/k8s-webhook-server/serving-certs",
      help: "Directory of the certificate",
    },
    tlsCertName: { type: "text", value: "FILE", default: "tls.crt", help: "Its file in that directory, PEM" },
    tlsKeyName: {
      type: "text",
      value: "FILE",
      default: "tls.key",
      help: "The private key's file in that directory, PEM",
    },
    nodeIdScope: {
      type: "choice",
      choices: ["namespace", "watched"],
      default: "namespace",
      help:
        "Where a node id may be taken once: in each namespace, or, where one discovery service serves several, in all " +
        "that are watched",
    },
    image: {
      ...IMAGE,
      help: "Image of this program, for the helpers of sidecars; no sidecars are injected without it",
    },
    ...ENVOY_IMAGE_OPTIONS,
    webhookService: {
      type: "text",
      value: "NAME",
      help:
        "Service of this webhook, if a chancery cert-manager looks after its certificate: its replicas tell in Leases which " +
        "one they show, so that it is changed without a gap",
    },
    leaseNamespace: LEASE_OPTIONS.leaseNamespace,
    ...WATCH_OPTIONS,
    ...PROCESS_OPTIONS,
    ...KUBERNETES_OPTIONS,
    shutdownDelay: {
      type: "duration",
      default: "3s",
      help: "How long to go on answering once told to end, until nobody is sent here any more",
    },
    ...LOG_OPTIONS,
  },
  examples: [
    {
      run: "chancery webhook --tls-dir /etc/chancery/webhook --webhook-service chancery-webhook",
      does: "In a pod, with the certificate mounted from a Secret that a chancery cert-manager makes",
    },
    {
      run: "chancery webhook --tls-dir ./certs --webhook-host 127.0.0.1 --metrics-bind-address 0 --debug",
      does: "On a laptop, against the cluster of the kubeconfig in use (it must reach this machine: clientConfig.url)",
    },
    {
      run: "WATCH_NAMESPACE=shop,blog chancery webhook --node-id-scope watched",
      does: "Two namespaces that one discovery service serves: a node id may be taken once in both together",
    },
  ],
  async run(values, context) {
    const { runWebhook } = await import("../../app/webhook/mod.ts");
    return await runWebhook(values, { ...context, version: VERSION, envoyApi: ENVOY_API });
  },
});
