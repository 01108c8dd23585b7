import { type LabelsOf, type MetricName, METRICS } from "../../telemetry/mod.ts";

/** Text of PromQL about one of our metrics: a name or label that does not exist does not compile. */
export function series<N extends MetricName>(name: N, labels: Partial<LabelsOf<N>> = {}): string {
  const asked = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return asked.length === 0 ? name : `${name}{${asked.join(",")}}`;
}

/** The name of the series of a histogram's buckets. */
export function buckets<N extends MetricName>(name: N): string {
  if (METRICS[name].kind !== "histogram") throw new TypeError(`"${name}" is no histogram`);
  return `${name}_bucket`;
}

/** What Envoys tell of themselves, as far as it is asked for, each with labels that Envoy gives it. */
export const ENVOY_METRICS = {
  envoy_control_plane_connected_state: [],
  envoy_http_downstream_rq_xx: ["envoy_response_code_class", "envoy_http_conn_manager_prefix"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The PodMonitors that find Envoys. */
export const ENVOY_MONITORS = { made: "chancery-envoy-deployments", injected: "chancery-sidecars" } as const;

/** Text of PromQL about the Envoys that our PodMonitors find; `more` are further matchers. Others' Envoys have series of these names, too. */
export function envoySeries(name: keyof typeof ENVOY_METRICS, more = ""): string {
  const job = `job=~${JSON.stringify(`.+/(${Object.values(ENVOY_MONITORS).join("|")})`)}`;
  return `${name}{${more === "" ? job : `${job},${more}`}}`;
}
