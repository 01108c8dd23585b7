/**
 * What the node does next with a Pod: a function of what is known and of the time. The rules are the kubelet's: init containers
 * one after the other, native sidecars between them and until the others have ended, applications in order, restarts with a
 * growing delay, an end with hooks first, then SIGTERM in turn, then SIGKILL.
 *
 * ```text
 *  sandbox: none ─► making ─► ready ─► removing ─► gone
 *  container:  waiting ─► (starting) running ─► stopping: hook ─► turn ─► told ─► killed ─► terminated ─► …
 * ```
 * @module
 */
import { backoffDelay } from "../../../../src/base/mod.ts";
import type { RestartPolicy } from "./pod.ts";
import { type ContainerRecord, isAlive, isStarted, type PodRecord, withContainer } from "./record.ts";

/** Something to be done outside; what comes of it comes back as an event. */
export type PodAction =
  | { readonly do: "make-sandbox" }
  | { readonly do: "remove-sandbox" }
  | { readonly do: "start"; readonly container: string }
  | { readonly do: "run-hook"; readonly container: string; readonly deadline: number }
  | { readonly do: "signal"; readonly container: string; readonly signal: "SIGTERM" | "SIGKILL" };

/** Times in milliseconds. */
export interface Rules {
  readonly restartPolicy: RestartPolicy;
  /** How long a container may take to end when the Pod does not say otherwise. */
  readonly graceMs: number;
  /** Delay of the second restart in a row (the first comes at once) and the longest. */
  readonly restartDelay: { readonly baseMs: number; readonly maxMs: number };
  /** When the Pod fails if it still runs, in milliseconds since the epoch. */
  readonly activeUntil?: number;
}

/** What {@linkcode advance} decides. */
export interface Advance {
  readonly record: PodRecord;
  readonly actions: readonly PodAction[];
  /** When to ask again although nothing happens, in milliseconds since the epoch. */
  readonly wakeAt?: number;
}

/** A container gets at least this long between SIGTERM and SIGKILL, as from the kubelet. */
const LEAST_GRACE_MS = 2000;

/** Decides until there is nothing more to decide at this time. */
export function advance(record: PodRecord, rules: Rules, now: number): Advance {
  const turn = new Turn(record, rules, now);
  turn.decide();
  const { wakeAt } = turn;
  return { record: turn.record, actions: turn.actions, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

/** One round of decisions. */
class Turn {
  record: PodRecord;
  readonly actions: PodAction[] = [];
  wakeAt: number | undefined;
  readonly #rules: Rules;
  readonly #now: number;

  constructor(record: PodRecord, rules: Rules, now: number) {
    this.record = record;
    this.#rules = rules;
    this.#now = now;
  }

  decide(): void {
    this.#endWhenTooOld();
    if (this.record.ending) this.#end();
    else if (hasFinished(this.record, this.#rules.restartPolicy)) this.#endContainers(this.#now + this.#rules.graceMs);
    else if (this.record.sandbox === "none") this.#makeSandbox();
    else if (this.record.sandbox === "ready") this.#start();
    for (const container of this.record.containers) this.#stop(container);
    if (!this.record.containers.some(isAlive) && isOver(this.record, this.#rules.restartPolicy)) this.#removeSandbox();
  }

  #endWhenTooOld(): void {
    const { activeUntil, graceMs, restartPolicy } = this.#rules;
    if (activeUntil === undefined || isOver(this.record, restartPolicy)) return;
    if (activeUntil > this.#now) return this.#wake(activeUntil);
    const message = "Pod was active on the node longer than the specified deadline";
    const ending = { since: this.#now, graceMs };
    this.record = { ...this.record, failure: { reason: "DeadlineExceeded", message }, ending };
  }

  #makeSandbox(): void {
    const { obstacle } = this.record;
    if (obstacle && obstacle.retryAt > this.#now) return this.#wake(obstacle.retryAt);
    this.record = { ...this.record, sandbox: "making" };
    this.actions.push({ do: "make-sandbox" });
  }

  #removeSandbox(): void {
    if (this.record.sandbox === "none") this.record = { ...this.record, sandbox: "gone" };
    if (this.record.sandbox !== "ready") return;
    this.record = { ...this.record, sandbox: "removing" };
    this.actions.push({ do: "remove-sandbox" });
  }

  /** Starts what may start now; at most one container is being started at a time. */
  #start(): void {
    if (!this.record.initialized) {
      for (const container of this.record.containers) {
        if (container.role === "app") break;
        if (container.role === "init" && hasSucceeded(container)) continue;
        this.#startOne(container);
        if (container.role === "init" || !isStarted(this.#current(container))) return this.#keepSidecars();
      }
      this.record = { ...this.record, initialized: true };
    }
    this.#keepSidecars();
    for (const container of this.record.containers) {
      if (container.role !== "app") continue;
      if (this.record.containers.some((one) => one.starting !== undefined)) return;
      this.#startOne(container);
    }
  }

  /** Sidecars that ran before are kept alive whatever the others do. */
  #keepSidecars(): void {
    for (const container of this.record.containers) {
      if (container.role === "sidecar" && container.failures > 0) this.#startOne(container);
    }
  }

  #startOne(given: ContainerRecord): void {
    const container = this.#current(given);
    if (isAlive(container)) return;
    if (container.state.kind === "terminated" && !restarts(container, this.#rules.restartPolicy)) return;
    const at = this.#startAt(container);
    if (at > this.#now) {
      this.#backOff(container, at);
      return this.#wake(at);
    }
    this.#change(container, (one) => ({ ...one, starting: "process" }));
    this.actions.push({ do: "start", container: container.name });
  }

  #startAt(container: ContainerRecord): number {
    if (container.retryAt !== undefined) return container.retryAt;
    const end = container.state.kind === "terminated" ? container.state : container.last;
    if (!end || container.failures < 2) return 0;
    return end.finishedAt + backoffDelay(container.failures - 1, this.#rules.restartDelay);
  }

  #backOff(container: ContainerRecord, at: number): void {
    if (container.state.kind !== "terminated") return;
    const last = container.state;
    const seconds = (at - last.finishedAt) / 1000;
    const message = `back-off ${seconds}s restarting failed container=${container.name}`;
    this.#change(
      container,
      (one) => ({ ...one, last, state: { kind: "waiting", reason: "CrashLoopBackOff", message } }),
    );
  }

  #end(): void {
    const { since = this.#now, graceMs = 0 } = this.record.ending ?? {};
    this.#endContainers(since + graceMs);
  }

  #endContainers(deadline: number): void {
    for (const container of this.record.containers) {
      if (container.state.kind !== "running" || container.stopping) continue;
      this.#change(container, (one) => {
        // Whoever ends a container does not wait for the hook after its start.
        const { starting: _, ...rest } = one;
        return { ...rest, stopping: { phase: "decided", deadline } };
      });
    }
  }

  /** Moves the end of one container on. */
  #stop(given: ContainerRecord): void {
    const container = this.#current(given);
    let { stopping } = container;
    if (!stopping) return;
    const now = this.#now;
    const late = now >= stopping.deadline;
    if (stopping.phase === "decided") {
      const hook = container.has.preStop && !late;
      stopping = { ...stopping, phase: hook ? "hook" : "turn" };
      if (hook) this.actions.push({ do: "run-hook", container: container.name, deadline: stopping.deadline });
    }
    if (stopping.phase === "hook" && late) stopping = { ...stopping, phase: "turn" };
    if (stopping.phase === "turn" && (late || mayBeTold(container, this.record, this.#rules.restartPolicy))) {
      stopping = { phase: "told", deadline: Math.max(stopping.deadline, now + LEAST_GRACE_MS) };
      this.actions.push({ do: "signal", container: container.name, signal: "SIGTERM" });
    }
    if (stopping.phase === "told" && now >= stopping.deadline) {
      stopping = { ...stopping, phase: "killed" };
      this.actions.push({ do: "signal", container: container.name, signal: "SIGKILL" });
    }
    if (stopping.phase !== "killed") this.#wake(stopping.deadline);
    const next = stopping;
    this.#change(container, (one) => ({ ...one, stopping: next }));
  }

  #current({ name }: { readonly name: string }): ContainerRecord {
    const found = this.record.containers.find((one) => one.name === name);
    if (!found) throw new Error(`Cannot find container ${JSON.stringify(name)} in its own record`);
    return found;
  }

  #change({ name }: { readonly name: string }, change: (container: ContainerRecord) => ContainerRecord): void {
    this.record = withContainer(this.record, name, change);
  }

  #wake(at: number): void {
    this.wakeAt = Math.min(this.wakeAt ?? at, at);
  }
}

/** Sidecars end last, and in the reverse order of their start; all others need not wait. */
function mayBeTold({ name, role }: ContainerRecord, record: PodRecord, policy: RestartPolicy): boolean {
  if (role !== "sidecar" || !isOver(record, policy)) return true;
  const after = record.containers.slice(record.containers.findIndex((one) => one.name === name) + 1);
  return !after.some((one) => one.role !== "init" && one.state.kind === "running");
}

function hasSucceeded(container: ContainerRecord): boolean {
  return container.state.kind === "terminated" && container.state.exitCode === 0;
}

function restarts(container: ContainerRecord, policy: RestartPolicy): boolean {
  if (container.role === "sidecar") return true;
  if (container.role === "init") return !hasSucceeded(container) && policy !== "Never";
  return policy === "Always" || (policy === "OnFailure" && !hasSucceeded(container));
}

/** Whether every application ended for good, or an init container failed for good. */
export function hasFinished(record: PodRecord, policy: RestartPolicy): boolean {
  const endedForGood = (one: ContainerRecord) =>
    one.state.kind === "terminated" && one.starting === undefined && !restarts(one, policy);
  if (!record.initialized) {
    return record.containers.some((one) => one.role === "init" && endedForGood(one) && !hasSucceeded(one));
  }
  return record.containers.every((one) => one.role !== "app" || endedForGood(one));
}

/** Whether nothing of the Pod is to run any more. */
function isOver(record: PodRecord, policy: RestartPolicy): boolean {
  return record.ending !== undefined || hasFinished(record, policy);
}
