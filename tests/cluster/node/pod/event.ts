import { type ContainerRecord, type PodRecord, type Terminated, withContainer } from "./record.ts";

/** Something that happened to a Pod; times in milliseconds since the epoch. */
export type PodEvent =
  | { readonly kind: "sandbox-ready" }
  | { readonly kind: "sandbox-failed"; readonly message: string; readonly retryAt: number }
  | { readonly kind: "sandbox-gone" }
  | { readonly kind: "end"; readonly at: number; readonly graceMs: number }
  | {
    readonly kind: "start-failed";
    readonly container: string;
    readonly reason: string;
    readonly message: string;
    readonly retryAt: number;
  }
  | { readonly kind: "running"; readonly container: string; readonly id: string; readonly at: number }
  | { readonly kind: "post-start-done"; readonly container: string }
  | { readonly kind: "pre-stop-done"; readonly container: string }
  | {
    readonly kind: "probed";
    readonly container: string;
    readonly probe: "startup" | "readiness";
    readonly passed: boolean;
  }
  /** A probe or hook says that the container has to be ended and started anew. */
  | { readonly kind: "unhealthy"; readonly container: string; readonly at: number; readonly graceMs: number }
  | { readonly kind: "exited"; readonly container: string; readonly end: ContainerEnd };

/** How the process of a container ended. */
export type ContainerEnd = Pick<Terminated, "exitCode" | "reason" | "message" | "finishedAt">;

/** How long a container has to live for its back-off to start over: as the kubelet, twice the longest delay. */
function forgetsFailures(livedMs: number, maxDelayMs: number): boolean {
  return livedMs >= 2 * maxDelayMs;
}

/** The record after something happened. `maxDelayMs` is the longest delay of a restart. */
export function applyEvent(record: PodRecord, event: PodEvent, maxDelayMs: number): PodRecord {
  switch (event.kind) {
    case "sandbox-ready": {
      const { obstacle: _, ...rest } = record;
      return { ...rest, sandbox: "ready" };
    }
    case "sandbox-failed":
      return { ...record, sandbox: "none", obstacle: { message: event.message, retryAt: event.retryAt } };
    case "sandbox-gone":
      return { ...record, sandbox: "gone" };
    case "end":
      return shortened(record, event);
    default:
      return withContainer(record, event.container, (container) => applyToContainer(container, event, maxDelayMs));
  }
}

/** A second order to end may shorten the grace period, never lengthen it. */
function shortened(record: PodRecord, order: { readonly at: number; readonly graceMs: number }): PodRecord {
  const { at: since, graceMs } = order;
  if (record.ending && record.ending.since + record.ending.graceMs <= since + graceMs) return record;
  const deadline = since + graceMs;
  return {
    ...record,
    ending: { since, graceMs },
    containers: record.containers.map((one) =>
      one.stopping && one.stopping.deadline > deadline ? { ...one, stopping: { ...one.stopping, deadline } } : one
    ),
  };
}

type ContainerEvent = Extract<PodEvent, { readonly container: string }>;

function applyToContainer(container: ContainerRecord, event: ContainerEvent, maxDelayMs: number): ContainerRecord {
  const { starting: _, retryAt: __, ...settled } = container;
  const last = container.state.kind === "terminated" ? { last: container.state } : {};
  switch (event.kind) {
    case "start-failed":
      return {
        ...settled,
        ...last,
        retryAt: event.retryAt,
        state: { kind: "waiting", reason: event.reason, message: event.message },
      };
    case "running":
      return {
        ...settled,
        ...last,
        ...(container.has.postStart ? { starting: "hook" } : {}),
        restarts: container.restarts + (container.failures > 0 ? 1 : 0),
        state: { kind: "running", startedAt: event.at, id: event.id },
      };
    case "post-start-done":
      return settled;
    case "pre-stop-done":
      return container.stopping?.phase === "hook"
        ? { ...container, stopping: { ...container.stopping, phase: "turn" } }
        : container;
    case "probed":
      return event.probe === "startup"
        ? { ...container, startupPassed: event.passed }
        : { ...container, readinessPassed: event.passed };
    case "unhealthy":
      return container.stopping || container.state.kind !== "running"
        ? container
        : { ...settled, stopping: { phase: "decided", deadline: event.at + event.graceMs } };
    case "exited":
      return exited(settled, event.end, maxDelayMs);
  }
}

function exited(container: ContainerRecord, end: ContainerEnd, maxDelayMs: number): ContainerRecord {
  const { stopping: _, ...rest } = container;
  const { startedAt, id } = container.state.kind === "running"
    ? container.state
    : { startedAt: end.finishedAt, id: "" };
  const failures = forgetsFailures(end.finishedAt - startedAt, maxDelayMs) ? 1 : container.failures + 1;
  return {
    ...rest,
    failures,
    startupPassed: false,
    readinessPassed: false,
    state: { kind: "terminated", startedAt, id, ...end },
  };
}
