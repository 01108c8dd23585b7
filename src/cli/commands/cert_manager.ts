import { defineCommand } from "../command.ts";
import { CERTIFICATE_OPTIONS, CONTROLLER_OPTIONS } from "../options/controllers.ts";
import { KUBERNETES_OPTIONS, WATCH_OPTIONS } from "../options/kubernetes.ts";
import { LOG_OPTIONS, PROCESS_OPTIONS } from "../options/process.ts";
import { ENVOY_API, VERSION } from "../version.ts";

export const command = defineCommand({
  summary: "Issue, renew and rotate certificates, without an operator",
  description:
    "Looks after DiscoveryServiceCertificates, so that only this process needs to write Secrets. Start the operator with " +
    "--external-cert-manager then. The certificate controllers have a Lease of their own, so that with --leader-elect in both " +
    "they never run twice.\n\n" +
    "SIGTERM and SIGINT let another replica lead and end; a second signal ends at once.",
  options: {
    ...CERTIFICATE_OPTIONS,
    ...CONTROLLER_OPTIONS,
    ...WATCH_OPTIONS,
    ...PROCESS_OPTIONS,
    ...KUBERNETES_OPTIONS,
    ...LOG_OPTIONS,
  },
  examples: [
    { run: "chancery cert-manager --leader-elect", does: "In a pod: the certificates of all namespaces" },
    {
      run: "chancery cert-manager --cross-namespace-issuers strict",
      does: "No CA signs for another namespace unless its Secret says so",
    },
  ],
  async run(values, context) {
    const { runCertManager } = await import("../../app/cert_manager/mod.ts");
    return await runCertManager(values, { ...context, version: VERSION, envoyApi: ENVOY_API });
  },
});
