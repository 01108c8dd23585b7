import type { KubeObject } from "../kube_object.ts";
import { installLabels } from "../names.ts";
import type { InstallOptions } from "../options.ts";
import { envoySeries, series } from "./query.ts";

/** One thing to be warned of. */
interface Alert {
  readonly name: string;
  readonly expression: string;
  /** How long it has to be so. */
  readonly lasting: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  /** What to look at. */
  readonly next: string;
}

const ALERTS: readonly Alert[] = [
  {
    name: "ChanceryConfigRolledBack",
    expression: `max by (namespace) (${series("chancery_configs", { state: "Rollback" })}) > 0`,
    lasting: "1m",
    severity: "warning",
    summary: "An EnvoyConfig in {{ $labels.namespace }} is not served as it is written: Envoys refused it",
    next: "chancery status -n {{ $labels.namespace }}",
  },
  {
    name: "ChanceryConfigWithoutVersion",
    expression: `max by (namespace) (${series("chancery_configs", { state: "RollbackFailed" })}) > 0`,
    lasting: "1m",
    severity: "critical",
    summary: "Every version of an EnvoyConfig in {{ $labels.namespace }} was refused by Envoys",
    next: "chancery history NAME -n {{ $labels.namespace }}",
  },
  {
    name: "ChanceryEnvoyRefuses",
    expression: `max by (namespace, node_id) (${series("chancery_xds_rejected")}) > 0`,
    lasting: "5m",
    severity: "warning",
    summary: "Envoys of node id {{ $labels.node_id }} refuse what they are served",
    next: "chancery status -n {{ $labels.namespace }} -o wide",
  },
  {
    name: "ChanceryEnvoyCutOff",
    expression: `max by (namespace, pod) (${envoySeries("envoy_control_plane_connected_state")}) == 0`,
    lasting: "10m",
    severity: "warning",
    summary:
      "Envoy {{ $labels.pod }} in {{ $labels.namespace }} reaches no discovery service: it goes on with what it has",
    next: "kubectl get discoveryservices,pods -n {{ $labels.namespace }}",
  },
  {
    name: "ChanceryNotReady",
    expression: `${series("chancery_ready")} == 0`,
    lasting: "5m",
    severity: "critical",
    summary: "{{ $labels.pod }} in {{ $labels.namespace }} is not ready",
    next: "kubectl logs -n {{ $labels.namespace }} {{ $labels.pod }}",
  },
  {
    name: "ChanceryNobodyLeads",
    expression: `max by (group) (${series("chancery_lease_held")}) == 0`,
    lasting: "2m",
    severity: "critical",
    summary: "No operator holds the Lease of {{ $labels.group }}: nothing is made or renewed",
    next: "kubectl get leases -A -l app.kubernetes.io/managed-by=chancery",
  },
  {
    name: "ChanceryDiscoveryServiceWithoutLeader",
    expression: `max by (namespace) (${series("chancery_leading")}) == 0`,
    lasting: "2m",
    severity: "critical",
    summary: "No replica of the discovery service in {{ $labels.namespace }} leads: changes are not published",
    next: "kubectl get leases -n {{ $labels.namespace }}",
  },
  {
    name: "ChanceryAnswersNobody",
    expression: `${series("chancery_xds_paused")} == 1`,
    lasting: "2m",
    severity: "warning",
    summary: "{{ $labels.pod }} in {{ $labels.namespace }} answers no Envoy because what it knows may be old",
    next: "kubectl logs -n {{ $labels.namespace }} {{ $labels.pod }}",
  },
  {
    name: "ChanceryWatchBehind",
    expression: `min by (namespace, pod, kind) (${series("chancery_watch_current")}) == 0`,
    lasting: "5m",
    severity: "warning",
    summary: "{{ $labels.pod }} does not hear of changes of {{ $labels.kind }}",
    next: "kubectl logs -n {{ $labels.namespace }} {{ $labels.pod }}",
  },
  {
    name: "ChanceryObjectsFailing",
    expression: `max by (kind) (${series("chancery_objects_failing")}) > 0`,
    lasting: "10m",
    severity: "warning",
    summary: "A {{ $labels.kind }} cannot be brought to what it should be",
    next: "kubectl get discoveryservices,envoydeployments,discoveryservicecertificates -A",
  },
  {
    name: "ChanceryCertificateEndsSoon",
    // A fifth of its life is left when it is renewed, ten hours of the shortest that is made unless somebody asks for less.
    expression: `min by (exported_namespace, name) (${series("chancery_certificate_expires_in_seconds")}) < 3600`,
    lasting: "5m",
    severity: "critical",
    summary: "Certificate {{ $labels.exported_namespace }}/{{ $labels.name }} ends within an hour",
    next: "chancery certs -n {{ $labels.exported_namespace }}",
  },
  {
    name: "ChanceryCertificateUnusable",
    expression: `min by (exported_namespace, name) (${series("chancery_certificate_usable")}) == 0`,
    lasting: "10m",
    severity: "critical",
    summary: "Certificate {{ $labels.exported_namespace }}/{{ $labels.name }} cannot be used",
    next: "chancery certs -n {{ $labels.exported_namespace }}",
  },
  {
    name: "ChanceryRotationStuck",
    expression: `max by (exported_namespace, name, phase) (${
      series("chancery_certificate_rotation_phase_seconds", { phase: "Trust" })
    }) > 3600`,
    lasting: "5m",
    severity: "warning",
    summary: "The change of CA {{ $labels.exported_namespace }}/{{ $labels.name }} does not go on",
    next: "chancery certs {{ $labels.exported_namespace }}/{{ $labels.name }}",
  },
  {
    name: "ChanceryAdmissionFails",
    expression: `sum by (path) (rate(${series("chancery_admission_requests_total", { result: "failed" })}[5m])) > 0`,
    lasting: "5m",
    severity: "warning",
    summary: "The webhook cannot answer reviews at {{ $labels.path }}",
    next: "kubectl logs -A -l app.kubernetes.io/component=webhook,app.kubernetes.io/name=chancery",
  },
];

/** What the Prometheus operator makes alerts from. */
export function alertRules({ namespace }: InstallOptions): KubeObject {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "chancery", namespace, labels: installLabels() },
    spec: {
      groups: [{
        name: "chancery",
        rules: ALERTS.map(({ name, expression, lasting, severity, summary, next }) => ({
          alert: name,
          expr: expression,
          for: lasting,
          labels: { severity },
          annotations: { summary, description: `${summary}. Next: ${next}` },
        })),
      }],
    },
  };
}
