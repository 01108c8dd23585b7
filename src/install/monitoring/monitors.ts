import { MANAGED_LABELS } from "../../api/operator/mod.ts";
import type { KubeObject } from "../kube_object.ts";
import { installLabels, partName, podSelector } from "../names.ts";
import type { InstallOptions, PassedOn } from "../options.ts";
import { ENVOY_MONITORS } from "./query.ts";

const API_VERSION = "monitoring.coreos.com/v1";
/** Of the pods that the webhook has given an Envoy. */
const INJECTED = { "marin3r.3scale.net/status": "enabled" };

/** Where the metrics of every role are, and those of the Envoys. */
export function monitors(options: InstallOptions): KubeObject[] {
  const { namespace, watchNamespaces } = options;
  const watched = watchNamespaces.length === 0 ? { any: true } : { matchNames: watchNamespaces };
  const serviceMonitor = (
    name: string,
    at: { readonly namespaceSelector: PassedOn; readonly matchLabels: PassedOn },
  ): KubeObject => ({
    apiVersion: API_VERSION,
    kind: "ServiceMonitor",
    metadata: { name, namespace, labels: installLabels() },
    spec: {
      namespaceSelector: at.namespaceSelector,
      selector: { matchLabels: at.matchLabels },
      endpoints: [{ port: "metrics", path: "/metrics" }],
    },
  });
  const podMonitor = (name: string, matchLabels: PassedOn): KubeObject => ({
    apiVersion: API_VERSION,
    kind: "PodMonitor",
    metadata: { name, namespace, labels: installLabels() },
    spec: {
      namespaceSelector: watched,
      selector: { matchLabels },
      podMetricsEndpoints: [{ port: "admin", path: "/stats/prometheus" }],
    },
  });
  const own = { matchNames: [namespace] };
  const made = (component: string) => ({ ...MANAGED_LABELS, "app.kubernetes.io/component": component });
  return [
    serviceMonitor(partName("operator"), { namespaceSelector: own, matchLabels: podSelector("operator") }),
    serviceMonitor(partName("webhook"), { namespaceSelector: own, matchLabels: podSelector("webhook") }),
    serviceMonitor("chancery-discovery-services", {
      namespaceSelector: watched,
      matchLabels: made("discovery-service"),
    }),
    podMonitor(ENVOY_MONITORS.made, made("envoy-deployment")),
    podMonitor(ENVOY_MONITORS.injected, INJECTED),
  ];
}
