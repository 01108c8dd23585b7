import type { ClientsDocument, ConfigDocument, FindingStatus, RejectionDocument } from "../../app/documents/mod.ts";
import type { StatusFinding } from "./finding.ts";
import type { Commands } from "./next.ts";

/** Why a line of `chancery status` is not as it should be, and what to type next. */
export interface Problem {
  readonly severity: "error" | "warning";
  /** One word: a reason as in the object's conditions, or the rule that a finding tells of. */
  readonly reason: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly next: string;
}

/** What the problems of one EnvoyConfig follow from. */
export interface ProblemInputs {
  /** About this one. */
  readonly findings: readonly FindingStatus[];
  readonly commands: Commands;
}

/** Everything that is wrong with an EnvoyConfig and its Envoys, the cause before what follows from it. */
export function problemsOf(config: ConfigDocument, inputs: ProblemInputs): readonly Problem[] {
  const look = new Look(config, inputs);
  const problems = [
    ...look.unseen(),
    ...look.conflict(),
    ...look.findings(),
    ...look.unreadable(),
    ...look.refusal(),
    ...look.condition("RollbackFailed", "True", { severity: "error", next: inputs.commands.history(config) }),
    ...look.pin(),
    ...look.condition("Flapping", "True", { severity: "warning", next: inputs.commands.history(config) }),
    ...look.clients(),
    ...look.missing(),
  ];
  if (problems.length > 0 || config.status.cacheState === undefined || config.status.cacheState === "InSync") {
    return problems;
  }
  return look.condition("CacheOutOfSync", "True", { severity: "error", next: inputs.commands.history(config) });
}

/** Whether the spec has changed since the status was written; programs that do not tell are believed. */
export function isUnseen({ generation, status: { observedGeneration } }: ConfigDocument): boolean {
  return observedGeneration !== undefined && observedGeneration < generation;
}

class Look {
  readonly #config: ConfigDocument;
  readonly #inputs: ProblemInputs;

  constructor(config: ConfigDocument, inputs: ProblemInputs) {
    this.#config = config;
    this.#inputs = inputs;
  }

  /** What is told may be of an earlier spec. */
  unseen(): Problem[] {
    const { generation, status: { observedGeneration } } = this.#config;
    if (!isUnseen(this.#config)) return [];
    const message =
      `generation ${generation} of the spec has not been looked at yet: all this is of ${observedGeneration}`;
    const next = this.#inputs.commands.status(this.#config, " -w");
    return [problem("warning", "NotObserved", { message, next })];
  }

  conflict(): Problem[] {
    const { findings, commands } = this.#inputs;
    const found = findings.find(({ rule }) => rule === "conflict");
    const next = commands.status(this.#config.servedFrom ?? this.#config);
    if (found) return [fromFinding(found, next)];
    return this.condition("Conflict", "True", { severity: "error", next });
  }

  findings(): Problem[] {
    const { findings, commands } = this.#inputs;
    return findings.filter(({ rule }) => rule !== "conflict").map((finding) =>
      fromFinding(
        finding,
        finding.file === undefined ? commands.history(this.#config) : commands.validate(finding.file),
      )
    );
  }

  /** Where no finding tells it with its place. */
  unreadable(): Problem[] {
    if (this.#inputs.findings.some(({ severity }) => severity === "error")) return [];
    return this.condition("Valid", "False", { severity: "error", next: this.#inputs.commands.history(this.#config) });
  }

  /** Why what is wanted is not served. */
  refusal(): Problem[] {
    const { refusal, status } = this.#config;
    const told = this.#inputs.findings.some(({ severity }) => severity === "error") || this.#has("Valid", "False");
    if (!refusal || (refusal.reason === "FailedLoadingResources" && told)) return [];
    const message = `version ${JSON.stringify(status.desiredVersion)} is not served: ${refusal.message}`;
    return [problem("error", refusal.reason, { message, next: this.#inputs.commands.history(this.#config) })];
  }

  pin(): Problem[] {
    const { commands } = this.#inputs;
    const ended = this.#stored("Pinned")?.reason === "PinEnded";
    return [
      ...this.condition("Pinned", "True", { severity: "warning", next: commands.retry(this.#config) }),
      ...(ended ? [] : this.condition("Pinned", "False", { severity: "error", next: commands.history(this.#config) })),
    ];
  }

  clients(): Problem[] {
    const { clients } = this.#config;
    if (!clients) return [];
    const next = this.#inputs.commands.history(this.#config);
    const { connected, rejected, refusedData, rejections } = clients;
    const words = wordsOf(rejections);
    const problems: Problem[] = [];
    if (rejected > 0) {
      const message = `${rejected} of ${envoys(connected)} ${refuse(rejected)} what is published${words}`;
      problems.push(problem("error", "ClientsRejecting", { message, next }));
    }
    if (refusedData > 0) {
      const message = `${refusedData} of ${envoys(connected)} ${refuse(refusedData)} what is made of Secrets or ` +
        `endpoints${rejected > 0 ? "" : words}`;
      problems.push(problem("error", "ClientsRejectingData", { message, next }));
    }
    return problems;
  }

  /** Where no finding tells it with its place. */
  missing(): Problem[] {
    if (this.#inputs.findings.length > 0) return [];
    const next = this.#inputs.commands.status(this.#config, " -o yaml");
    return this.condition("ResourcesResolved", "False", { severity: "warning", next });
  }

  condition(type: string, status: string, told: { severity: Problem["severity"]; next: string }): Problem[] {
    const stored = this.#stored(type);
    if (stored?.status !== status) return [];
    return [problem(told.severity, stored.reason, { message: stored.message, next: told.next })];
  }

  #has(type: string, status: string): boolean {
    return this.#stored(type)?.status === status;
  }

  #stored(type: string) {
    return this.#config.status.conditions?.find((one) => one.type === type);
  }
}

/** `1 Envoy`, `2 Envoys`. */
export function envoys(count: number): string {
  return `${count} Envoy${count === 1 ? "" : "s"}`;
}

/** `: LDS by "edge-1": why`, each word of Envoy once; empty when there is none. */
export function wordsOf(rejections: ClientsDocument["rejections"]): string {
  const byWords = new Map<string, RejectionDocument>();
  for (const rejection of rejections) {
    const message = rejection.message.trim().replace(/\s*\n\s*/g, "; "); // several causes, a line each
    const words = `${rejection.type} ${message}`;
    if (!byWords.has(words)) byWords.set(words, { ...rejection, message });
  }
  const lines = [...byWords.values()].slice(0, 3).map(({ client, type, message }) =>
    `${type} by ${JSON.stringify(client)}: ${message}`
  );
  return lines.length === 0 ? "" : `: ${lines.join("; ")}`;
}

function refuse(count: number): string {
  return count === 1 ? "refuses" : "refuse";
}

/** The place, path and words of a finding as a problem. */
export function fromFinding(finding: FindingStatus | StatusFinding, next: string): Problem {
  const { severity, path, message, rule, suggestion, file = null, line = null, column = null } = finding;
  const field = path === "" ? "" : `${path}: `;
  const hint = suggestion ? `, did you mean ${JSON.stringify(suggestion)}?` : "";
  return { severity, reason: rule ?? "finding", message: `${field}${message}${hint}`, file, line, column, next };
}

/** A problem that no file is to be blamed for. */
export function problem(
  severity: Problem["severity"],
  reason: string,
  { message, next }: { message: string; next: string },
): Problem {
  return { severity, reason, message, file: null, line: null, column: null, next };
}
