import { accessOf } from "./access.ts";
import type { KubeObject } from "./kube_object.ts";
import { installLabels, partName, podSelector, WEBHOOK_SECRET, WEBHOOK_TLS_DIR } from "./names.ts";
import { metricsService } from "./operator.ts";
import type { InstallOptions } from "./options.ts";
import { deploymentOf, PORTS } from "./pod.ts";
import { WEBHOOK_REPLICA_RIGHTS, WEBHOOK_RIGHTS } from "./rights.ts";

/** Longer than answers take to end, once the API server sends nobody here any more. */
const GRACE_S = 20;
/** Any user that a platform chooses can read it; nobody else is in the pod. */
const FILE_MODE = 0o644;

/** The webhook: account, rights, pods, of which one stays when a node is drained, and where the API server finds them. */
export function webhookObjects(options: InstallOptions): KubeObject[] {
  const { namespace } = options;
  const name = partName("webhook");
  const metadata = { name, namespace, labels: installLabels("webhook") };
  return [
    ...accessOf("webhook", [WEBHOOK_RIGHTS, ...options.certManager.enabled ? [] : [WEBHOOK_REPLICA_RIGHTS]], options),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: podSelector("webhook"), ports: [{ name: "webhook", port: 443, targetPort: "webhook" }] },
    },
    metricsService("webhook", options),
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: podSelector("webhook") } },
    },
    deploymentOf("webhook", options, {
      size: options.webhook,
      args: [
        "webhook",
        `--tls-dir=${WEBHOOK_TLS_DIR}`,
        // Its replicas tell which certificate they serve, for whoever changes it.
        ...options.certManager.enabled ? [] : [`--webhook-service=${name}`],
      ],
      ports: [{ name: "webhook", containerPort: PORTS.webhook }],
      volumeMounts: [{ name: "tls", mountPath: WEBHOOK_TLS_DIR, readOnly: true }],
      volumes: [{ name: "tls", secret: { secretName: WEBHOOK_SECRET, defaultMode: FILE_MODE } }],
      terminationGracePeriodSeconds: GRACE_S,
    }),
  ];
}
