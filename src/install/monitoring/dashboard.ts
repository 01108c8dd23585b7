import type { KubeObject } from "../kube_object.ts";
import { installLabels } from "../names.ts";
import type { InstallOptions } from "../options.ts";
import { buckets, envoySeries, series } from "./query.ts";

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly queries: readonly { readonly expression: string; readonly legend: string }[];
}

const HEIGHT = 8;
const WIDTH = 12;

const PANELS: readonly Panel[] = [
  {
    title: "EnvoyConfigs by state",
    unit: "short",
    queries: [{
      expression: `max by (namespace, state) (${series("chancery_configs")})`,
      legend: "{{namespace}} {{state}}",
    }],
  },
  {
    title: "Streams of Envoys",
    unit: "short",
    queries: [{
      expression: `sum by (namespace, node_id) (${series("chancery_xds_streams")})`,
      legend: "{{namespace}} {{node_id}}",
    }],
  },
  {
    title: "Answers of Envoys",
    unit: "ops",
    queries: [{
      expression: `sum by (result, reason) (rate(${series("chancery_xds_answers_total")}[5m]))`,
      legend: "{{result}} {{reason}}",
    }],
  },
  {
    title: "From a change until Envoy has accepted it",
    unit: "s",
    queries: [0.5, 0.99].map((share) => ({
      expression: `histogram_quantile(${share}, sum by (le) (rate(${
        buckets("chancery_xds_push_duration_seconds")
      }[5m])))`,
      legend: `p${share * 100}`,
    })),
  },
  {
    title: "Replicas of discovery services",
    unit: "short",
    queries: [
      { expression: `max by (namespace) (${series("chancery_replicas_live")})`, legend: "{{namespace}} live" },
      { expression: `sum by (namespace) (${series("chancery_leading")})`, legend: "{{namespace}} leading" },
    ],
  },
  {
    title: "Time until certificates end",
    unit: "s",
    queries: [{
      expression: series("chancery_certificate_expires_in_seconds"),
      legend: "{{exported_namespace}}/{{name}}",
    }],
  },
  {
    title: "Objects that are not as they should be",
    unit: "short",
    queries: [{ expression: `max by (kind) (${series("chancery_objects_failing")})`, legend: "{{kind}}" }],
  },
  {
    title: "Reviews of the webhook",
    unit: "ops",
    queries: [{
      expression: `sum by (path, result) (rate(${series("chancery_admission_requests_total")}[5m]))`,
      legend: "{{path}} {{result}}",
    }],
  },
  {
    title: "Requests to the API server",
    unit: "ops",
    queries: [{
      expression: `sum by (pod, method, code) (rate(${series("chancery_kubernetes_requests_total")}[5m]))`,
      legend: "{{pod}} {{method}} {{code}}",
    }],
  },
  {
    title: "Requests through Envoys, by class of answers",
    unit: "reqps",
    queries: [{
      // Probes and scrapers are counted as the admin interface's.
      expression: `sum by (namespace, envoy_response_code_class) (rate(${
        envoySeries("envoy_http_downstream_rq_xx", 'envoy_http_conn_manager_prefix!="admin"')
      }[5m]))`,
      legend: "{{namespace}} {{envoy_response_code_class}}xx",
    }],
  },
  {
    title: "Memory",
    unit: "bytes",
    queries: [{
      // Other programs have a series of this name, too.
      expression: `${series("process_resident_memory_bytes")} and on (namespace, pod) ${series("chancery_build_info")}`,
      legend: "{{namespace}}/{{pod}}",
    }],
  },
];

/** The dashboard as Grafana's sidecar takes it from a ConfigMap with this label. */
export function dashboardConfigMap({ namespace }: InstallOptions): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "chancery-dashboard",
      namespace,
      labels: { ...installLabels(), grafana_dashboard: "1" },
    },
    data: { "chancery.json": `${JSON.stringify(dashboard(), null, 2)}\n` },
  };
}

function dashboard(): Record<string, unknown> {
  const datasource = { type: "prometheus", uid: "${datasource}" };
  return {
    uid: "chancery",
    title: "Chancery",
    tags: ["chancery", "envoy"],
    schemaVersion: 39,
    time: { from: "now-1h", to: "now" },
    refresh: "30s",
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source" }] },
    panels: PANELS.map(({ title, unit, queries }, at) => ({
      id: at + 1,
      type: "timeseries",
      title,
      datasource,
      gridPos: { x: (at % 2) * WIDTH, y: Math.floor(at / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: queries.map(({ expression, legend }, query) => ({
        refId: String.fromCharCode(65 + query),
        datasource,
        expr: expression,
        legendFormat: legend,
      })),
    })),
  };
}
