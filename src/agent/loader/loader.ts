import { backoffDelay, type Clock, formatFinding, wait } from "../../base/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { collect, type Collected } from "./collect.ts";
import type { EnvoyAdmin, EnvoyAnswer } from "./envoy_admin.ts";
import type { CountsByKind } from "./envoy_feedback.ts";
import { LoaderFailure } from "./failure.ts";
import { type FileKind, USES_CLUSTERS } from "./file_kind.ts";
import type { LoaderMetrics } from "./loader_metrics.ts";
import type { Output } from "./output/mod.ts";
import { differs, type HeldFile, type Plan, planFiles, type Present } from "./plan.ts";
import type { SourceState } from "./source_state.ts";
import type { Check } from "./verdict.ts";

/** What a loader is made of. */
export interface LoaderOptions {
  /** Ids of all sources. */
  readonly sources: readonly string[];
  readonly output: Output;
  /** Whether a set of files is put in place as a whole or not at all. */
  readonly whole: boolean;
  /** Gives the look at contents, the first time that one has changed. */
  readonly loadCheck: () => Promise<Check>;
  readonly removalDelayMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: LoaderMetrics;
  readonly envoy?: EnvoyAdmin | undefined;
}

const BACKOFF = { baseMs: 250, maxMs: 10_000, jitter: 0.5 };

/** From what sources tell to files in place, one set after the other; what comes meanwhile waits and is taken together. */
export class Loader {
  readonly #options: LoaderOptions;
  readonly #states: Map<string, SourceState>;
  readonly #untried: Set<string>;
  readonly #said = new Map<string, string>();
  #held: readonly HeldFile[] = [];
  #inPlace = false;
  #usersChangedAt: number | undefined;
  #wake = Promise.withResolvers<void>();
  #listening = new AbortController();
  #cancelLook = () => {};

  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#states = new Map(options.sources.map((id) => [id, { kind: "unknown" }]));
    this.#untried = new Set(options.sources);
  }

  /** Takes what is known of a source. */
  tell(id: string, state: SourceState): void {
    const before = this.#states.get(id)?.kind;
    if (before !== state.kind && state.kind === "missing") {
      this.#options.log.warn("An object does not exist; what it gave is taken away", { source: id });
    }
    this.#said.delete(id);
    this.#states.set(id, state);
    for (const kind of ["present", "missing", "unknown"]) {
      this.#options.metrics.set("chancery_loader_sources", [id, kind], kind === state.kind ? 1 : 0);
    }
    this.#tried(id);
  }

  /** Takes why a source cannot be asked; what it gave stays. */
  failed(id: string, failure: LoaderFailure): void {
    const { log, metrics } = this.#options;
    metrics.count("chancery_loader_requests_failed_total", [id, failure.kind]);
    const again = this.#said.get(id) === failure.message;
    this.#said.set(id, failure.message);
    (again ? log.debug : log.error)(failure.message, { source: id, reason: failure.kind });
    this.#tried(id);
  }

  /** What is still to be done before Envoy may start. */
  missing(): string[] {
    const unknown = [...this.#states].filter(([, { kind }]) => kind !== "present");
    return [
      ...unknown.map(([id, { kind }]) => `${id} is ${kind === "missing" ? "missing" : "not known yet"}`),
      ...this.#held.filter(({ keeps }) => !keeps).map(({ path }) => `${path} is not fit for Envoy`),
      ...(this.#inPlace ? [] : ["the files are not in place yet"]),
    ];
  }

  /** Puts in place what is told, until the signal comes. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, metrics, random } = this.#options;
    this.#usersChangedAt = clock.monotonic(); // an Envoy may be running on what is there
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    let failures = 0;
    while (!signal.aborted) {
      await Promise.race([this.#wake.promise, stopped]);
      if (signal.aborted) break;
      this.#wake = Promise.withResolvers();
      try {
        const { lookAgainMs } = await this.apply(signal);
        failures = 0;
        this.#cancelLook();
        if (lookAgainMs !== undefined) this.#cancelLook = clock.after(lookAgainMs, () => this.#wake.resolve());
      } catch (thrown) {
        failures++;
        const failure = thrown instanceof LoaderFailure ? thrown : undefined;
        log.error(failure?.message ?? `Cannot put files in place: ${thrown}`, { reason: failure?.kind });
        metrics.count("chancery_loader_write_failures_total", ["files"]);
        this.#inPlace = false;
        await wait(backoffDelay(failures, BACKOFF, random()), { clock, signals: [signal] });
        this.#wake.resolve();
      }
    }
    this.#cancelLook();
    this.#listening.abort();
  }

  /** What would be done now. */
  async plan(): Promise<{ readonly plan: Plan; readonly present: Present }> {
    const collected = collect([...this.#states].map(([id, state]) => ({ id, state })));
    const present = await this.#options.output.read([...collected.files.keys(), ...collected.conflicts.keys()]);
    if (!differs(collected, present)) return { plan: nothing(present), present };
    return { plan: this.#wholeOrNot(await this.#planOf(collected, present), present), present };
  }

  /** Puts in place what is known now. @throws {LoaderFailure} `unwritable` */
  async apply(signal: AbortSignal): Promise<Plan> {
    this.#listening.abort(); // whoever still listens to what Envoy says of the last set would hear of this one
    const { plan, present } = await this.plan();
    this.#report(plan);
    if (plan.steps.length > 0 || plan.owned !== present.owned) {
      const counts = await this.#options.envoy?.counts(signal);
      await this.#options.output.carryOut(plan, present);
      this.#tellSteps(plan);
      if (counts) this.#listen(plan, counts, signal);
    }
    this.#inPlace = true;
    return plan;
  }

  /** What Envoy says of what a plan put in place; waits for it. */
  async answerOf(plan: Plan, before: CountsByKind, signal: AbortSignal): Promise<EnvoyAnswer | undefined> {
    const { envoy, log, metrics } = this.#options;
    const kinds = new Set<FileKind>();
    for (const step of plan.steps) if (step.do === "write" && step.kind !== "other") kinds.add(step.kind);
    if (!envoy || kinds.size === 0) return undefined;
    const answer = await envoy.answer(kinds, before, signal);
    for (const [kind, opinion] of answer?.opinions ?? []) {
      metrics.count("chancery_loader_envoy_answers_total", [kind, opinion]);
      if (opinion === "accepted") log.info("Envoy accepted", { kind });
      else if (opinion === "silent") log.warn("Envoy has not read what changed", { kind });
      else log.error("Envoy refused; its log says more", { kind });
    }
    for (const { name, reason } of answer?.errors ?? []) {
      log.error("Envoy refused a resource", { resource: name, reason });
    }
    return answer;
  }

  async #planOf(collected: Collected, present: Present): Promise<Plan> {
    const { clock, loadCheck, removalDelayMs } = this.#options;
    const usersChangedAt = this.#usersChangedAt;
    return planFiles({
      collected,
      present,
      check: await loadCheck(),
      now: clock.monotonic(),
      usersChangedAt,
      removalDelayMs,
    });
  }

  /** A set that is swapped as a whole waits for its last bad file. */
  #wholeOrNot(plan: Plan, present: Present): Plan {
    return this.#options.whole && plan.held.length > 0 ? { ...nothing(present), held: plan.held } : plan;
  }

  #listen(plan: Plan, before: CountsByKind, signal: AbortSignal): void {
    this.#listening = new AbortController();
    void this.answerOf(plan, before, AbortSignal.any([signal, this.#listening.signal]));
  }

  #report({ held, warnings }: Plan): void {
    const { log, metrics } = this.#options;
    this.#held = held;
    for (const keeps of [true, false]) {
      const count = held.filter((file) => file.keeps === keeps).length;
      metrics.set("chancery_loader_held_files", [keeps ? "kept" : "nothing"], count);
    }
    const held_ = new Set(held.map(({ path }) => `file ${path}`));
    for (const said of this.#said.keys()) if (said.startsWith("file ") && !held_.has(said)) this.#said.delete(said);
    for (const { path, keeps, owners, findings } of held) {
      const words = findings.map(formatFinding).join("\n");
      if (this.#said.get(`file ${path}`) === words) continue;
      this.#said.set(`file ${path}`, words);
      log.error(keeps ? "A file is not fit for Envoy; the last good one stays" : "A file is not fit for Envoy", {
        path,
        owner: owners.join(", "),
        findings: words,
      });
    }
    for (const { path, findings } of warnings) {
      log.warn("A file has something to look at", { path, findings: findings.map(formatFinding).join("\n") });
    }
  }

  #tellSteps({ steps }: Plan): void {
    const { clock, log, metrics } = this.#options;
    for (const step of steps) {
      const change = step.do === "remove" ? "removed" : step.is;
      metrics.count("chancery_loader_changes_total", [step.kind, change]);
      log.info(step.do === "remove" ? "Removed a file" : "Put a file in place", {
        path: step.path,
        kind: step.kind,
        ...(step.do === "write" ? { bytes: step.bytes.length, change } : {}),
      });
      if (USES_CLUSTERS.has(step.kind)) this.#usersChangedAt = clock.monotonic();
    }
  }

  #tried(id: string): void {
    this.#untried.delete(id);
    // The first set is put in place together, once every source has had its turn.
    if (this.#untried.size === 0) this.#wake.resolve();
  }
}

function nothing({ owned }: Present): Plan {
  return { steps: [], owned, held: [], warnings: [] };
}
