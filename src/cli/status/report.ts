import type { ClientsDocument, ConfigDocument, ConfigsDocument, HoldDocument } from "../../app/documents/mod.ts";
import { nameOf } from "../source/names.ts";
import { type StatusFinding, statusFinding } from "./finding.ts";
import { isUnseen, type Problem, problemsOf } from "./problems.ts";
import type { Commands } from "./next.ts";
import { isTroubled, type StatusService, statusService } from "./services.ts";

/** One EnvoyConfig in `chancery status -o json`. Every field is there in every item; what is not known is null. */
export interface StatusItem {
  readonly namespace: string;
  readonly name: string;
  readonly nodeId: string | null;
  readonly createdAt: string;
  /** `InSync`, `Rollback` or `RollbackFailed` as in the object's status; else `Conflict`, `Invalid` or `Pending`. */
  readonly state: string;
  /** What is wanted is published, and every connected Envoy has accepted it. */
  readonly inSync: boolean;
  readonly desiredVersion: string | null;
  readonly publishedVersion: string | null;
  /** Version that all Envoys accepted last. */
  readonly acknowledgedVersion: string | null;
  /** What is on offer: a version, and `-r<n>` after refusals. */
  readonly publication: string | null;
  readonly generation: number;
  /** Null when another EnvoyConfig has the node id. */
  readonly clients: StatusClients | null;
  readonly conditions: readonly Readonly<Record<string, unknown>>[];
  readonly problems: readonly Problem[];
}

/** Clients in `chancery status -o json`. */
export interface StatusClients extends Omit<ClientsDocument, "publication" | "streams" | "userAgents" | "holds"> {
  /** Null, as are the next two, where only the reports of replicas are known. */
  readonly streams: { readonly delta: number; readonly sotw: number } | null;
  /** How many say that they are what: `envoy 1.40.0`. */
  readonly userAgents: Readonly<Record<string, number>> | null;
  /** What is held back, and why. */
  readonly holds: readonly HoldDocument[] | null;
}

/** The whole of `chancery status -o json`: fields are added here, never removed or given another meaning. */
export interface StatusReport {
  readonly version: 1;
  /** Who was asked. */
  readonly server: string;
  readonly now: string;
  /** Every item is, no VirtualService is in trouble, and there is no error beside them. */
  readonly inSync: boolean;
  /** Why not all of it may be known yet, or why it may not last. */
  readonly details: readonly string[];
  readonly items: readonly StatusItem[];
  /** Node ids that Envoys ask for and no EnvoyConfig has. */
  readonly strays: readonly { readonly nodeId: string; readonly clients: StatusClients }[];
  /** What is wrong with files and objects that are no EnvoyConfig, or none that can be read. */
  readonly findings: readonly StatusFinding[];
  readonly virtualServices: readonly StatusService[];
}

/** Makes the report of what was answered. With `selected` EnvoyConfigs what is beside them does not count. */
export function statusReport(
  document: ConfigsDocument,
  { server, selected, wanted, commands }: {
    server: string;
    /** Whether only a part was asked for. */
    selected: boolean;
    wanted: (config: ConfigDocument) => boolean;
    commands: Commands;
  },
): StatusReport {
  const { now, details, configs } = document;
  const items = configs.filter(wanted).map((config) => statusItem(config, document, commands));
  const known = new Set(configs.map((config) => aboutOf(config)));
  const findings = selected ? [] : document.findings.filter(({ about }) => !known.has(about));
  const virtualServices = selected ? [] : (document.virtualServices ?? []).map(statusService);
  return {
    version: 1,
    server,
    now,
    inSync: items.every((item) => item.inSync) && !virtualServices.some(isTroubled) &&
      !findings.some(({ severity }) => severity === "error"),
    details,
    items,
    strays: selected ? [] : document.strays.map(({ nodeId, clients }) => ({ nodeId, clients: statusClients(clients) })),
    findings: findings.map(statusFinding),
    virtualServices,
  };
}

function statusItem(config: ConfigDocument, document: ConfigsDocument, commands: Commands): StatusItem {
  const { namespace, name, nodeId = null, createdAt, generation, status } = config;
  const state = stateOf(config);
  const findings = document.findings.filter(({ about }) => about === aboutOf(config));
  const problems = problemsOf(config, { findings, commands });
  const settled = config.clients === undefined || config.clients.accepted === config.clients.connected;
  return {
    namespace,
    name,
    nodeId,
    createdAt,
    state,
    inSync: state === "InSync" && settled && !isUnseen(config) &&
      !problems.some(({ severity }) => severity === "error"),
    desiredVersion: status.desiredVersion || null,
    publishedVersion: status.publishedVersion || null,
    acknowledgedVersion: status.acknowledgedVersion ?? null,
    publication: status.publication ?? config.clients?.publication ?? null,
    generation,
    clients: config.clients ? statusClients(config.clients) : null,
    conditions: status.conditions ?? [],
    problems,
  };
}

function statusClients({ publication: _, streams, userAgents, holds, ...counts }: ClientsDocument): StatusClients {
  const { rejections, ...numbers } = counts; // the long list comes last
  return { ...numbers, streams: streams ?? null, userAgents: userAgents ?? null, holds: holds ?? null, rejections };
}

/** One word for how it stands. */
export function stateOf({ status: { cacheState, conditions = [] } }: Pick<ConfigDocument, "status">): string {
  const is = (type: string, status: string) => conditions.some((one) => one.type === type && one.status === status);
  if (is("Conflict", "True")) return "Conflict";
  return cacheState ?? (is("Valid", "False") ? "Invalid" : "Pending");
}

function aboutOf(config: ConfigDocument): string {
  return `EnvoyConfig/${nameOf(config)}`;
}
