import { type ContainerRole, placedContainers, type PodSpec } from "./pod.ts";

/** A container that ended; times in milliseconds since the epoch. */
export interface Terminated {
  readonly kind: "terminated";
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly id: string;
}

/** What a container does right now. */
export type ContainerState =
  | { readonly kind: "waiting"; readonly reason: string; readonly message?: string }
  | { readonly kind: "running"; readonly startedAt: number; readonly id: string }
  | Terminated;

/**
 * How far the end of a running container has come: it is decided, its hook runs, it waits for the containers that have to end
 * before it, it was told to end, or it was killed.
 */
export interface Stopping {
  readonly phase: "decided" | "hook" | "turn" | "told" | "killed";
  /** When the whole grace period is over, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** What the node knows of one container. */
export interface ContainerRecord {
  readonly name: string;
  readonly role: ContainerRole;
  readonly state: ContainerState;
  /** The end before this life. */
  readonly last?: Terminated;
  readonly restarts: number;
  /** Ends in a row without a long life in between: what the back-off follows. */
  readonly failures: number;
  /** A start that is under way: the process is made, or its postStart hook runs. */
  readonly starting?: "process" | "hook";
  /** When a start that could not be done may be tried again, in milliseconds since the epoch. */
  readonly retryAt?: number;
  /** Whether the startup probe was answered in this life. */
  readonly startupPassed: boolean;
  /** Whether the readiness probe was answered lately. */
  readonly readinessPassed: boolean;
  readonly stopping?: Stopping;
  /** Probes and hooks that the container has. */
  readonly has: {
    readonly startup: boolean;
    readonly readiness: boolean;
    readonly postStart: boolean;
    readonly preStop: boolean;
  };
}

/** What the node knows of one Pod. */
export interface PodRecord {
  /** Network namespace and volumes. */
  readonly sandbox: "none" | "making" | "ready" | "removing" | "gone";
  /** Why the sandbox could not be made, and when that is tried again. */
  readonly obstacle?: { readonly message: string; readonly retryAt: number };
  /** All init containers were done once; stays so. */
  readonly initialized: boolean;
  /** Why the Pod has failed as a whole. */
  readonly failure?: { readonly reason: string; readonly message: string };
  /** Set once the Pod is to end, with the grace period that the one who ended it gave. */
  readonly ending?: { readonly since: number; readonly graceMs: number };
  readonly containers: readonly ContainerRecord[];
}

/** The record of a Pod of which nothing has been done yet. */
export function newRecord(spec: PodSpec): PodRecord {
  return {
    sandbox: "none",
    initialized: false,
    containers: placedContainers(spec).map(({ role, container }) => ({
      name: container.name,
      role,
      state: {
        kind: "waiting",
        reason: role === "app" && spec.initContainers?.length ? "PodInitializing" : "ContainerCreating",
      },
      restarts: 0,
      failures: 0,
      startupPassed: false,
      readinessPassed: false,
      has: {
        startup: container.startupProbe !== undefined,
        readiness: container.readinessProbe !== undefined,
        postStart: container.lifecycle?.postStart !== undefined,
        preStop: container.lifecycle?.preStop !== undefined,
      },
    })),
  };
}

/** Whether a container's process is there or about to be. */
export function isAlive(container: ContainerRecord): boolean {
  return container.state.kind === "running" || container.starting !== undefined;
}

/** Whether a container runs and what follows its start may go on. */
export function isStarted(container: ContainerRecord): boolean {
  return container.state.kind === "running" && container.starting === undefined &&
    (!container.has.startup || container.startupPassed);
}

/** Whether a container may get requests; an init container is ready once it has succeeded. */
export function isReady(container: ContainerRecord): boolean {
  if (container.role === "init") return container.state.kind === "terminated" && container.state.exitCode === 0;
  return isStarted(container) && (!container.has.readiness || container.readinessPassed);
}

/** The record with one container changed. */
export function withContainer(
  record: PodRecord,
  name: string,
  change: (container: ContainerRecord) => ContainerRecord,
): PodRecord {
  return { ...record, containers: record.containers.map((one) => one.name === name ? change(one) : one) };
}
