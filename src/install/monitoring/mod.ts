/**
 * What Prometheus and Grafana are told: where metrics are, what to warn of, and what to show.
 * @module
 */
import type { KubeObject } from "../kube_object.ts";
import type { InstallOptions } from "../options.ts";
import { alertRules } from "./alerts.ts";
import { dashboardConfigMap } from "./dashboard.ts";
import { monitors } from "./monitors.ts";

/** Objects for the Prometheus operator, and a dashboard as Grafana's sidecar finds it. */
export function monitoringObjects(options: InstallOptions): KubeObject[] {
  return [...monitors(options), alertRules(options), dashboardConfigMap(options)];
}
