import { condition, type WantedCondition } from "../../api/mod.ts";
import { type DiscoveryServiceSettings, namespaceUri, nodeIdUri, SIDECAR_CERTIFICATE } from "../../api/operator/mod.ts";
import type { StatedObject, WatchedObject } from "../engine/object_source.ts";
import type { DiscoveryServiceInput } from "./inputs.ts";

/** What the pods of a discovery service ask of clients. */
export interface ClientRule {
  readonly asks: DiscoveryServiceSettings["clientAuthorization"];
  readonly action: DiscoveryServiceSettings["clientAuthorizationAction"];
}

/** What is decided about the rights of clients. */
export interface ClientRulePlan {
  readonly rule: ClientRule;
  /** Nothing where nobody asks. */
  readonly told: WantedCondition | undefined;
  /** When to look again though nothing changes. */
  readonly next: number | undefined;
}

const NO_RULE: ClientRule = { asks: "Off", action: "Refuse" };
/** Certificates that a condition names. */
const SHOWN = 5;

/**
 * Which rule the pods are given. Nobody who is served now is to be refused because a certificate comes late: a stricter rule waits
 * until all client certificates of the namespace say what they are good for, and then for as long as clients may take to read
 * theirs. `live` is the Deployment, `wanted` are the client certificates that are to be there.
 */
export function clientRuleOf(
  input: DiscoveryServiceInput,
  { settings, live, wanted }: {
    settings: DiscoveryServiceSettings;
    live: WatchedObject | undefined;
    wanted: readonly StatedObject[];
  },
): ClientRulePlan {
  const { clientAuthorization: asks, clientAuthorizationAction: action } = settings;
  const rule: ClientRule = { asks, action };
  if (asks === "Off") return { rule, told: undefined, next: undefined };
  if (action === "Warn") {
    const message = "Clients without the right to their node id are served; the logs of the pods name them";
    return {
      rule,
      told: condition("ClientsAuthorized", { status: "False", reason: "WarningOnly", message }),
      next: undefined,
    };
  }
  const present = presentRule(input.object, live);
  if (!present || includes(present, rule)) return { rule, told: enforced(asks), next: undefined };
  const waiting = waitsFor(input, { settings, wanted });
  return waiting ? { rule: present, ...waiting } : { rule, told: enforced(asks), next: undefined };
}

/** What a rule waits for: certificates first, then those who read them. */
function waitsFor(
  input: DiscoveryServiceInput,
  { settings, wanted }: { settings: DiscoveryServiceSettings; wanted: readonly StatedObject[] },
): Omit<ClientRulePlan, "rule"> | undefined {
  const { clientAuthorization: asks, trustDelayMs } = settings;
  const silent = silentCertificates(input, { asks, wanted });
  if (silent.length > 0) {
    const more = silent.length > SHOWN ? ` and ${silent.length - SHOWN} more` : "";
    const names = `${silent.slice(0, SHOWN).join(", ")}${more}`;
    const message = `${asks} is not asked for yet: these certificates do not say what they are good for: ${names}`;
    const told = condition("ClientsAuthorized", { status: "False", reason: "CertificatesLackUris", message });
    return { told, next: undefined };
  }
  const { now } = input;
  const since = readSince(input);
  if (now >= since + trustDelayMs) return undefined;
  // A time that lies ahead is that of a wrong clock: it goes with the status, and the next look begins anew.
  const status = since > now ? "False" : "Unknown";
  const at = Math.min(since, now) + trustDelayMs;
  const message = `${asks} is not asked for before ${timeText(at)}: clients need time to read their certificates`;
  return { told: condition("ClientsAuthorized", { status, reason: "ClientsReadTheirs", message }), next: at };
}

/** Whether the rule waits for something, which then has to be found out. */
export function isRuleDue(
  object: DiscoveryServiceInput["object"],
  { settings, live }: { settings: DiscoveryServiceSettings; live: WatchedObject | undefined },
): boolean {
  const { clientAuthorization: asks, clientAuthorizationAction: action } = settings;
  if (asks === "Off" || action === "Warn") return false;
  const present = presentRule(object, live);
  return present !== undefined && !includes(present, { asks, action });
}

/** The words of the command line for it. */
export function argumentsOf({ asks, action }: ClientRule): readonly string[] {
  if (asks === "Off") return [];
  return [`${ASKS}${asks}`, ...(action === "Warn" ? [WARN] : [])];
}

const ASKS = "--client-authorization=";
const WARN = "--client-authorization-warn";

/**
 * The rule that holds now: that of the pods, or, where somebody has taken the Deployment away, the one that was told last. `undefined`
 * where nothing was ever made, and so nobody is served who could be refused.
 */
function presentRule(
  { status = {} }: DiscoveryServiceInput["object"],
  live: WatchedObject | undefined,
): ClientRule | undefined {
  if (live) {
    const spec = live.spec as { template?: { spec?: { containers?: readonly Container[] } } } | undefined; // by its kind
    const args = spec?.template?.spec?.containers?.find(({ name }) => name === "marin3r")?.args ?? [];
    const asks = args.find((word) => word.startsWith(ASKS))?.slice(ASKS.length);
    if (asks !== "Namespace" && asks !== "NodeID") return NO_RULE;
    return { asks, action: args.includes(WARN) ? "Warn" : "Refuse" };
  }
  const told = status.conditions?.find(({ type }) => type === "ClientsAuthorized");
  if (told?.status === "True") {
    return { asks: told.reason === "NodeIdRequired" ? "NodeID" : "Namespace", action: "Refuse" };
  }
  return status.deploymentName === undefined ? undefined : NO_RULE;
}

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
}

/** Names of certificates that do not grant what will be asked for. */
function silentCertificates(
  { object, clients }: DiscoveryServiceInput,
  { asks, wanted }: { asks: ClientRule["asks"]; wanted: readonly StatedObject[] },
): string[] {
  const { namespace = "default" } = object.metadata;
  const there = new Set(clients.map(({ name }) => name));
  const awaited = wanted.map(({ metadata }) => metadata.name).filter((name) => !there.has(name));
  const all = [...clients, ...awaited.map((name) => ({ name, uris: undefined }))];
  // What all sidecars share is good for no node id of its own; whoever still shows it is told of by `Warn`.
  return all.filter(({ name }) => asks === "Namespace" || name !== SIDECAR_CERTIFICATE)
    .filter(({ uris = [] }) => {
      const grants = uris.some((uri) => uri.startsWith(nodeIdUri(namespace, "")));
      return !grants && !(asks === "Namespace" && uris.includes(namespaceUri(namespace)));
    })
    .map(({ name }) => name).sort();
}

/** Since when it is only waited for clients. */
function readSince({ object, now }: DiscoveryServiceInput): number {
  const told = object.status?.conditions?.find(({ type }) => type === "ClientsAuthorized");
  return told?.status === "Unknown" ? Date.parse(told.lastTransitionTime) : now;
}

function enforced(asks: ClientRule["asks"]): WantedCondition {
  return asks === "NodeID"
    ? condition("ClientsAuthorized", {
      ...{ status: "True", reason: "NodeIdRequired" },
      message: "A client needs a certificate that is good for its node id",
    })
    : condition("ClientsAuthorized", {
      ...{ status: "True", reason: "NamespaceRequired" },
      message: "A client needs a certificate that is good for this namespace, or for its node id",
    });
}

/** Whether whom a rule serves the other one serves, too: what is good for one node id is good for it in its namespace. */
function includes(present: ClientRule, { asks }: ClientRule): boolean {
  return present.action === "Refuse" && (present.asks === "NodeID" || present.asks === asks);
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
