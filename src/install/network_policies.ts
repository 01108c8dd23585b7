import type { KubeObject } from "./kube_object.ts";
import { installLabels, type Part, partName, podSelector } from "./names.ts";
import type { InstallOptions } from "./options.ts";
import { PORTS } from "./pod.ts";

/** Where API servers answer, seen from a pod: by their Service, or directly. */
const API_SERVER_PORTS = [443, 6443];

/** Nothing reaches the pods but what has to, and they reach the API server and the names of the cluster. */
export function networkPolicies({ namespace }: InstallOptions): KubeObject[] {
  const policy = (part: Part, ports: readonly number[]): KubeObject => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: partName(part), namespace, labels: installLabels(part) },
    spec: {
      podSelector: { matchLabels: podSelector(part) },
      policyTypes: ["Ingress", "Egress"],
      // From everywhere: the API server is no pod, and who may ask for metrics is not known here. Probes come from the node.
      ingress: [{ ports: ports.map((port) => ({ protocol: "TCP", port })) }],
      egress: [
        { ports: API_SERVER_PORTS.map((port) => ({ protocol: "TCP", port })) },
        { ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 })) },
      ],
    },
  });
  return [
    policy("operator", [PORTS.metrics, PORTS.probes]),
    policy("webhook", [PORTS.webhook, PORTS.metrics, PORTS.probes]),
  ];
}
