import config from "../../../deno.json" with { type: "json" };
import { LOG_LEVELS } from "../../telemetry/mod.ts";
import type { InstallOptions, PassedOn } from "../options.ts";
import { INSTALL_NAMESPACE } from "../names.ts";

/** What a setting may be; `mapping` and `mappings` are passed on to Kubernetes as they are. */
export type SettingType = "text" | "count" | "switch" | "texts" | "mapping" | "mappings";

/** One row of {@linkcode SETTINGS}. */
export interface Setting {
  readonly type: SettingType;
  /** One sentence without a full stop. */
  readonly help: string;
  readonly default: string | number | boolean | readonly string[] | PassedOn | readonly PassedOn[];
  /** The words that a `text` may be. */
  readonly choices?: readonly string[];
}

/**
 * What the roles take out of the bundle, some 115 MB resident each with a handful of objects, and a reserve; the limit is for
 * thousands of them. Processor time has no limit, for a start and a review are to take as short as they can.
 */
const RESOURCES = {
  operator: { requests: { cpu: "50m", memory: "160Mi" }, limits: { memory: "768Mi" } },
  webhook: { requests: { cpu: "50m", memory: "160Mi" }, limits: { memory: "512Mi" } },
} as const;

/** What may be set: `--set` of `chancery install`, and values and schema of the chart, are made from this table. */
export const SETTINGS = {
  image: {
    type: "text",
    default: `chancery:${config.version}`,
    help: "Image of Chancery, for all roles and for the pods they make",
  },
  imagePullSecrets: { type: "texts", default: [], help: "Names of Secrets in the namespace of the installation" },
  watchNamespaces: { type: "texts", default: [], help: "Namespaces that are looked after; all of them when empty" },
  logLevel: {
    type: "text",
    default: "info",
    choices: LOG_LEVELS,
    help: "Least severity that is logged",
  },
  "operator.replicas": { type: "count", default: 1, help: "Pods of the operator, of which one works at a time" },
  "operator.resources": { type: "mapping", default: RESOURCES.operator, help: "Requests and limits of the operator" },
  "webhook.replicas": { type: "count", default: 2, help: "Pods of the webhook, all of which answer" },
  "webhook.resources": { type: "mapping", default: RESOURCES.webhook, help: "Requests and limits of the webhook" },
  nodeSelector: { type: "mapping", default: {}, help: "Labels of the nodes that pods may be on" },
  tolerations: { type: "mappings", default: [], help: "Taints of nodes that pods may be on nevertheless" },
  priorityClassName: { type: "text", default: "", help: "Priority class of the pods" },
  "certManager.enabled": {
    type: "switch",
    default: false,
    help: "Let cert-manager.io make the certificate of the webhook, instead of the operator",
  },
  "monitoring.enabled": {
    type: "switch",
    default: false,
    help: "ServiceMonitors, PodMonitors and alerts for the Prometheus operator, and a dashboard for Grafana",
  },
  "networkPolicies.enabled": {
    type: "switch",
    default: false,
    help: "Let nothing reach operator and webhook but what has to",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Name of a setting, with dots. */
export type SettingName = keyof typeof SETTINGS;

/** What is set, by the names of the table. */
export type SettingValues = Readonly<Partial<Record<SettingName, unknown>>>;

/** What an installation is made from when these settings are set to these values, which have to be of the right type. */
export function installOptions(values: SettingValues = {}, namespace: string = INSTALL_NAMESPACE): InstallOptions {
  const options: Record<string, unknown> = { namespace };
  for (const [name, { default: fallback }] of Object.entries(SETTINGS)) {
    const value = values[name as SettingName] ?? fallback; // the names of the same table
    const [first = name, second] = name.split(".");
    if (second === undefined) options[first] = value;
    else options[first] = { ...options[first] as PassedOn | undefined, [second]: value };
  }
  return options as unknown as InstallOptions; // every member is a row of the table, as a test checks
}
