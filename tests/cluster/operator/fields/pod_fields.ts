import type { FieldTable } from "./field_case.ts";

/** The fields that say where and how pods run, the same for every kind that makes pods. */
export const POD_CASES: FieldTable = {
  affinity: {
    to: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] }],
        },
      },
    },
  },
  tolerations: { to: [{ key: "dedicated", operator: "Equal", value: "edge", effect: "NoSchedule" }] },
  nodeSelector: { to: { pool: "edge" } },
  topologySpreadConstraints: {
    to: [{
      maxSkew: 2,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "edge" } },
    }],
  },
  podAnnotations: { to: { "example.com/scrape": "true" } },
  podLabels: { to: { "example.com/team": "edge" } },
  podPriorityClass: { to: "system-cluster-critical" },
  imagePullSecrets: { to: [{ name: "registry" }] },
  podSecurityContext: { to: { fsGroup: 2000 } },
  securityContext: { to: { readOnlyRootFilesystem: true } },
};
