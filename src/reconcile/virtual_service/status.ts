import { type Condition, condition, mergeConditions, type WantedCondition } from "../../api/mod.ts";
import type { MeshRejection, MeshReplicaReport, VirtualServiceStatus } from "../../api/virtual_service/mod.ts";
import { type Finding, hasErrors } from "../../base/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { Collision } from "./merge.ts";
import type { ClientOfService } from "./verdicts.ts";

/** What the status of a VirtualService is made of. */
export interface StatusInput {
  readonly object: WatchedObject;
  /** How many pods it selects. */
  readonly pods: number;
  readonly findings: readonly Finding[];
  /** What is left out on some pod, each once. */
  readonly collisions: readonly Collision[];
  /** What the Envoys connected to this replica make of it. */
  readonly clients: readonly ClientOfService[];
  /** Boot id by name of each replica that lives. */
  readonly replicas: ReadonlyMap<string, string>;
  /** This one. */
  readonly replica: { readonly name: string; readonly bootId: string };
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const MAX_REJECTIONS = 5;
/** In characters. */
const MAX_MESSAGE = 1_000;
/** Entries of a condition's message; a hundred collisions are no better to read than a few. */
const MAX_TOLD = 5;

/** The status that an object has. */
export function statusOf(object: WatchedObject): VirtualServiceStatus {
  return (object.status ?? {}) as VirtualServiceStatus; // written by us, or by nobody
}

/** What the Envoys connected to one replica make of a VirtualService. */
export function replicaReport({ object, clients, replica }: StatusInput): MeshReplicaReport {
  const count = (verdict: ClientOfService["verdict"]) => clients.filter((one) => one.verdict === verdict).length;
  const rejections = clients.flatMap((client) => client.rejections).sort((a, b) => a.at - b.at).slice(
    0,
    MAX_REJECTIONS,
  );
  return {
    bootId: replica.bootId,
    generation: object.metadata.generation ?? 0,
    served: clients.length,
    accepted: count("accepted"),
    rejected: count("rejected"),
    ...(rejections.length > 0 && {
      rejections: rejections.map(({ client, resource, message, at }): MeshRejection => ({
        client,
        resource,
        message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message,
        at: new Date(at).toISOString(),
      })),
    }),
  };
}

/** The whole status, as the replica that leads writes it: what is told by replicas that are no more, or of another spec, does not count. */
export function serviceStatus(input: StatusInput): VirtualServiceStatus {
  const { object, pods, replicas, replica, now } = input;
  const before = statusOf(object);
  const { generation } = object.metadata;
  const told = Object.entries(before.replicas ?? {}).filter(([name, { bootId }]) =>
    name !== replica.name && replicas.get(name) === bootId
  );
  const others = told.map(([, report]) => report).filter((report) => report.generation === (generation ?? 0));
  const reports = [replicaReport(input), ...others];
  const sum = (field: "served" | "accepted" | "rejected") => reports.reduce((sum, report) => sum + report[field], 0);
  const rejections = reports.flatMap((report) => report.rejections ?? []).sort((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, MAX_REJECTIONS);
  const nodes = { served: sum("served"), accepted: sum("accepted"), rejected: sum("rejected") };
  const wanted = [...conditionsOf(input), rejecting(nodes, { rejections, before: before.conditions })].flatMap((one) =>
    one ? [{ ...one, ...(generation !== undefined && { observedGeneration: generation }) }] : []
  );
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    pods,
    nodes,
    ...(rejections.length > 0 && { rejections }),
    ...(told.length > 0 && { replicas: Object.fromEntries(told) }),
    conditions: mergeConditions(before.conditions ?? [], wanted, { now }),
  };
}

function conditionsOf({ object, findings, collisions }: StatusInput): (WantedCondition | undefined)[] {
  const before = statusOf(object).conditions;
  const missing = findings.filter(({ rule }) => rule === "endpoints-not-found");
  return [validity(findings), conflict(collisions, before), resolved(missing, before)];
}

function validity(findings: readonly Finding[]): WantedCondition {
  const told = findings.filter(({ rule }) => rule !== "endpoints-not-found");
  const errors = told.filter(({ severity }) => severity === "error");
  if (hasErrors(told)) {
    const message = `What is wrong is left out: ${inWords(errors.map(findingText))}`;
    return condition("Valid", { status: "False", reason: "InvalidSpec", message });
  }
  if (told.length > 0) {
    const message = inWords(told.map(findingText));
    return condition("Valid", { status: "True", reason: "SpecHasWarnings", message });
  }
  return condition("Valid", { status: "True", reason: "SpecIsValid", message: "Nothing is wrong with it" });
}

/** Told while it is so, and that it is over; not when it never was. */
function conflict(
  collisions: readonly Collision[],
  before: readonly Condition[] | undefined,
): WantedCondition | undefined {
  if (collisions.length === 0) {
    return knows(before, "Conflict")
      ? condition("Conflict", { status: "False", reason: "NoConflict", message: "Nothing it needs is taken" })
      : undefined;
  }
  const message = inWords(
    collisions.map(({ index, what, by }) =>
      `listeners[${index}] is left out: ${what} is taken by ${
        by === undefined ? "an EnvoyConfig" : `VirtualService ${by}`
      }`
    ),
  );
  return condition("Conflict", { status: "True", reason: "NameOrPortInUse", message });
}

function resolved(
  missing: readonly Finding[],
  before: readonly Condition[] | undefined,
): WantedCondition | undefined {
  if (missing.length === 0) {
    return knows(before, "ResourcesResolved")
      ? condition("ResourcesResolved", { status: "True", reason: "AllResolved", message: "Every endpoint was found" })
      : undefined;
  }
  const message = inWords(missing.map(findingText));
  return condition("ResourcesResolved", { status: "False", reason: "EndpointsNotFound", message });
}

function rejecting(
  { served, rejected }: { served: number; rejected: number },
  { rejections, before }: { rejections: readonly MeshRejection[]; before: readonly Condition[] | undefined },
): WantedCondition | undefined {
  if (rejected === 0) {
    return knows(before, "ClientsRejecting")
      ? condition("ClientsRejecting", { status: "False", reason: "NoClientRefuses", message: "No Envoy refuses it" })
      : undefined;
  }
  const words = rejections.map(({ client, resource, message }) => `${client} refuses ${resource}: ${message}`);
  const message = `${rejected} of ${served} Envoys: ${inWords(words)}`;
  return condition("ClientsRejecting", { status: "True", reason: "SomeClientsRefuse", message });
}

function knows(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((one) => one.type === type) ?? false;
}

function findingText({ path, message }: Finding): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

function inWords(words: readonly string[]): string {
  const more = words.length > MAX_TOLD ? `; and ${words.length - MAX_TOLD} more` : "";
  return words.slice(0, MAX_TOLD).join("; ") + more;
}
