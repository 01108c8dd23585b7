import type { FindingStatus, VirtualServiceDocument } from "../../app/documents/mod.ts";
import { nameOf } from "../source/names.ts";
import { age } from "../text/age.ts";
import { clean } from "../text/clean.ts";
import type { Paint, Style } from "../text/paint.ts";
import { type Cell, tableLines } from "../text/table.ts";

/** One VirtualService in `chancery status -o json`. */
export interface StatusService {
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string;
  /** `Served`, `Waiting` for an Envoy or a pod, `Pending` for an answer; else `Invalid`, `Conflict` or `Refused`. */
  readonly state: string;
  /** Why, where that is the name of a trouble. */
  readonly message: string | null;
  readonly generation: number;
  /** Pods that it selects; null, as are the next ones, while nobody has told. */
  readonly pods: number | null;
  readonly served: number | null;
  readonly accepted: number | null;
  readonly rejected: number | null;
}

/** What is worst goes before. */
const TROUBLES = [
  { type: "ClientsRejecting", status: "True", state: "Refused" },
  { type: "Valid", status: "False", state: "Invalid" },
  { type: "Conflict", status: "True", state: "Conflict" },
];

/** How a VirtualService stands, as its status says. */
export function statusService({ status, ...object }: VirtualServiceDocument): StatusService {
  const { namespace, name, createdAt, generation } = object;
  const { pods = null, nodes, conditions = [] } = status;
  const { served = null, accepted = null, rejected = null } = nodes ?? {};
  const told = TROUBLES.flatMap(({ type, status, state }) => {
    const found = conditions.find((one) => one.type === type && one.status === status);
    return found ? [{ state, message: found.message }] : [];
  });
  const isCurrent = status.observedGeneration === generation && served === accepted;
  const calm = { state: !served ? "Waiting" : isCurrent ? "Served" : "Pending", message: null };
  const { state, message } = told[0] ?? calm;
  return { namespace, name, createdAt, state, message, generation, pods, served, accepted, rejected };
}

/** Whether something is wrong with it. */
export function isTroubled({ message }: StatusService): boolean {
  return message !== null;
}

/** The table of VirtualServices, with what is wrong below each line unless `findings` tell that anyway; empty when there are none. */
export function servicesText(
  services: readonly StatusService[],
  { now, findings, paint }: { now: string; findings: readonly Pick<FindingStatus, "about">[]; paint: Paint },
): string {
  if (services.length === 0) return "";
  const told = new Set(findings.map(({ about }) => about));
  const cells = services.map((service): Cell[] => {
    const { pods, served, accepted, state, createdAt } = service;
    return [
      nameOf(service),
      pods === null ? "" : String(pods),
      served === null ? "" : `${accepted}/${served}`,
      { text: state, style: styleOf(service) },
      age(createdAt, now),
    ];
  });
  const [header = "", ...rows] = tableLines(["VIRTUAL SERVICE", "PODS", "ENVOYS", "STATE", "AGE"], cells, paint);
  const lines = services.flatMap((service, index) => {
    const { message, state } = service;
    const isTold = state !== "Refused" && told.has(`VirtualService/${nameOf(service)}`);
    const row = rows[index] ?? "";
    return message === null || isTold ? [row] : [row, `  ${paint("red", "error")}: ${clean(message)}`];
  });
  return [header, ...lines].map((line) => `${line}\n`).join("");
}

function styleOf({ state, message }: StatusService): Style | undefined {
  if (message !== null) return "red";
  return state === "Served" ? "green" : "dim";
}
