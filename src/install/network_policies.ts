import type { KubeObject } from "./kube_object.ts";
import { installLabels, type Part, partName, podSelector } from "./names.ts";
import type { InstallOptions, PassedOn } from "./options.ts";
import { PORTS } from "./pod.ts";

/** Where API servers answer, seen from a pod: by their Service, or directly. */
const API_SERVER_PORTS = [443, 6443];

/** Nothing reaches the pods but what has to, and they reach the API server and the names of the cluster. */
export function networkPolicies(options: InstallOptions): KubeObject[] {
  // From everywhere: the API server is no pod, and who may ask for metrics is not known here. Probes come from the node.
  const open = (...ports: readonly number[]) => ({ ports: tcp(...ports) });
  return [
    networkPolicy("operator", options, [open(PORTS.metrics, PORTS.probes)]),
    networkPolicy("webhook", options, [open(PORTS.webhook, PORTS.metrics, PORTS.probes)]),
  ];
}

/** What may reach the pods of a part, besides that they reach the API server and the names of the cluster. */
export function networkPolicy(part: Part, { namespace }: InstallOptions, ingress: readonly PassedOn[]): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: partName(part), namespace, labels: installLabels(part) },
    spec: {
      podSelector: { matchLabels: podSelector(part) },
      policyTypes: ["Ingress", "Egress"],
      ingress,
      egress: [
        { ports: tcp(...API_SERVER_PORTS) },
        { ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 })) },
      ],
    },
  };
}

/** TCP ports, as a policy names them. */
export function tcp(...ports: readonly number[]): PassedOn[] {
  return ports.map((port) => ({ protocol: "TCP", port }));
}
