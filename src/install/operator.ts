import { accessOf } from "./access.ts";
import type { KubeObject } from "./kube_object.ts";
import { installLabels, partName, podSelector, WEBHOOK_SECRET, webhookConfigurationNames } from "./names.ts";
import type { InstallOptions } from "./options.ts";
import { deploymentOf, PORTS } from "./pod.ts";
import { CERT_MANAGER_RIGHTS, OPERATOR_RIGHTS, webhookCertificateRights } from "./rights.ts";

/** Longer than a write may take that is under way when the pod is told to end. */
const GRACE_S = 30;

/** The operator, which looks after certificates, too: account, rights, pods, metrics. */
export function operatorObjects(options: InstallOptions): KubeObject[] {
  const names = webhookConfigurationNames(options);
  const webhookRights = options.certManager.enabled
    ? []
    : [webhookCertificateRights({ ...names, secret: WEBHOOK_SECRET })];
  return [
    ...accessOf("operator", [OPERATOR_RIGHTS, CERT_MANAGER_RIGHTS, ...webhookRights], options),
    metricsService("operator", options),
    deploymentOf("operator", options, {
      size: options.operator,
      args: ["operator", "--leader-elect", ...webhookArguments(options)],
      terminationGracePeriodSeconds: GRACE_S,
    }),
  ];
}

/** Without them it leaves the webhook's certificate alone. */
function webhookArguments(options: InstallOptions): string[] {
  if (options.certManager.enabled) return [];
  const { mutating, validating } = webhookConfigurationNames(options);
  return [
    `--webhook-service=${partName("webhook")}`,
    `--webhook-secret=${WEBHOOK_SECRET}`,
    `--webhook-mutating-configuration=${mutating}`,
    `--webhook-validating-configuration=${validating}`,
  ];
}

/** Service of a part's metrics, for who looks for them by its labels. */
export function metricsService(part: "operator" | "webhook", { namespace }: InstallOptions): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${partName(part)}-metrics`, namespace, labels: installLabels(part) },
    spec: { selector: podSelector(part), ports: [{ name: "metrics", port: PORTS.metrics, targetPort: "metrics" }] },
  };
}
