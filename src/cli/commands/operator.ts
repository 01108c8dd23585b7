import { defineCommand } from "../command.ts";
import { CERTIFICATE_OPTIONS, CONTROLLER_OPTIONS } from "../options/controllers.ts";
import { ENVOY_IMAGE_OPTIONS, IMAGE } from "../options/images.ts";
import { KUBERNETES_OPTIONS, WATCH_OPTIONS } from "../options/kubernetes.ts";
import { LOG_OPTIONS, PROCESS_OPTIONS } from "../options/process.ts";
import { ENVOY_API, VERSION } from "../version.ts";

export const command = defineCommand({
  summary: "Make the discovery services and Envoys that users ask for",
  description:
    "Runs once per cluster, or in several replicas with --leader-elect. DiscoveryServices become pods that serve, with their " +
    "certificates; EnvoyDeployments become Envoys that are served; DiscoveryServiceCertificates are issued and renewed, unless " +
    "a chancery cert-manager does that. What users add to the objects that are made stays; what they change is changed back.\n\n" +
    "SIGTERM and SIGINT let another replica lead and end; a second signal ends at once.",
  options: {
    image: { ...IMAGE, required: true, help: "Image of this program, for the pods that are made" },
    ...ENVOY_IMAGE_OPTIONS,
    externalCertManager: {
      type: "flag",
      help: "Leave certificates to a chancery cert-manager",
    },
    ...CERTIFICATE_OPTIONS,
    ...CONTROLLER_OPTIONS,
    ...WATCH_OPTIONS,
    ...PROCESS_OPTIONS,
    ...KUBERNETES_OPTIONS,
    ...LOG_OPTIONS,
  },
  examples: [
    {
      run: "chancery operator --leader-elect --image registry.example.com/chancery:1.0.0",
      does: "In a pod: all namespaces, one of several replicas writes",
    },
    {
      run: "WATCH_NAMESPACE=shop,blog chancery operator --image registry.example.com/chancery:1.0.0",
      does: "Two namespaces, one replica",
    },
    {
      run: "chancery operator --kubeconfig ~/.kube/config --image chancery:dev --debug",
      does: "On a laptop, against the cluster of a kubeconfig",
    },
  ],
  async run(values, context) {
    const { runOperator } = await import("../../app/operator/mod.ts");
    return await runOperator(values, { ...context, version: VERSION, envoyApi: ENVOY_API });
  },
});
