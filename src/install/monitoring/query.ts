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
