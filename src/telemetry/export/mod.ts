/**
 * Metrics for those who fetch them; apart from `telemetry/mod.ts` because it loads a library.
 * @module
 */
export { type PrometheusMetrics, prometheusMetrics } from "./prometheus.ts";
