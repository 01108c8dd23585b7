import { hasFinished } from "./advance.ts";
import { type Container, placedContainers, type Pod, type RestartPolicy } from "./pod.ts";
import { type ContainerRecord, type ContainerState, isReady, isStarted, type PodRecord } from "./record.ts";

/** What the status says beside the record. */
export interface StatusFacts {
  readonly hostIP: string;
  readonly podIP?: string;
  /** When the node first saw the Pod, in milliseconds since the epoch. */
  readonly startTime: number;
  readonly now: number;
}

/** The status of a Pod as the kubelet would report it: a document for a strategic merge patch of the `status` subresource. */
export function podStatus(pod: Pod, record: PodRecord, facts: StatusFacts): Record<string, unknown> {
  const phase = podPhase(record, pod.spec.restartPolicy ?? "Always");
  const { generation } = pod.metadata;
  const statuses = placedContainers(pod.spec).map(({ role, container }, index) => {
    const known = record.containers[index];
    if (known === undefined) throw new Error(`Cannot report container ${JSON.stringify(container.name)}: no record`);
    return { role, status: containerStatus(container, known, record.obstacle?.message) };
  });
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    reason: record.failure?.reason ?? null,
    message: record.failure?.message ?? null,
    hostIP: facts.hostIP,
    hostIPs: [{ ip: facts.hostIP }],
    ...(facts.podIP === undefined ? {} : { podIP: facts.podIP, podIPs: [{ ip: facts.podIP }] }),
    startTime: formatTime(facts.startTime),
    conditions: conditions(pod, record, phase, facts.now),
    initContainerStatuses: statuses.filter(({ role }) => role !== "app").map(({ status }) => status),
    containerStatuses: statuses.filter(({ role }) => role === "app").map(({ status }) => status),
  };
}

/** The phase: it is final only once nothing runs any more, sidecars included. */
export function podPhase(record: PodRecord, policy: RestartPolicy): string {
  const apps = record.containers.filter(({ role }) => role === "app");
  if (record.sandbox === "gone" && (record.ending || hasFinished(record, policy))) {
    const succeeded = (one: ContainerRecord) => one.state.kind === "terminated" && one.state.exitCode === 0;
    return !record.failure && record.initialized && apps.every(succeeded) ? "Succeeded" : "Failed";
  }
  const neverStarted = (one: ContainerRecord) => one.state.kind === "waiting" && one.last === undefined;
  return !record.initialized || apps.some(neverStarted) ? "Pending" : "Running";
}

function conditions(pod: Pod, record: PodRecord, phase: string, now: number): object[] {
  const over = phase === "Succeeded" ? "PodCompleted" : phase === "Failed" ? "PodFailed" : undefined;
  const waited = record.containers.filter(({ role }) => role !== "init");
  const unready = waited.filter((one) => !isReady(one)).map(({ name }) => name);
  const containersReady = unready.length === 0 && over === undefined;
  const gates = (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const closed = gates.filter((type) => pod.status?.conditions?.find((one) => one.type === type)?.status !== "True");
  const notInitialized = record.containers.filter((one) => one.role !== "app" && !initDone(one)).map(({ name }) =>
    name
  );
  const initialized = record.initialized || phase === "Succeeded";
  const why = {
    reason: over ?? "ContainersNotReady",
    message: over === undefined ? `containers with unready status: [${unready.join(" ")}]` : "",
  };
  const gatesClosed = {
    reason: "ReadinessGatesNotReady",
    message: `readiness gates are not True: ${closed.join(", ")}`,
  };
  const found: readonly [type: string, holds: boolean, otherwise?: { reason: string; message: string }][] = [
    ["PodReadyToStartContainers", record.sandbox === "ready"],
    ["Initialized", initialized, {
      reason: "ContainersNotInitialized",
      message: `containers with incomplete status: [${notInitialized.join(" ")}]`,
    }],
    ["Ready", containersReady && closed.length === 0, containersReady ? gatesClosed : why],
    ["ContainersReady", containersReady, why],
  ];
  const own = found.map(([type, holds, otherwise]) => ({
    type,
    status: holds ? "True" : "False",
    // The merge of a condition leaves alone what is not named.
    reason: holds ? null : otherwise?.reason ?? null,
    message: holds ? null : otherwise?.message ?? null,
  }));
  // Whoever names the node himself has passed by the scheduler, which would have set this one.
  const all = [...own, { type: "PodScheduled", status: "True" }];
  const { generation: observedGeneration } = pod.metadata;
  return all.map((one) => {
    const before = pod.status?.conditions?.find(({ type }) => type === one.type);
    const since = before?.status === one.status ? before.lastTransitionTime : undefined;
    return {
      ...one,
      lastTransitionTime: since ?? formatTime(now),
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
    };
  });
}

function initDone(container: ContainerRecord): boolean {
  return container.role === "init" ? isReady(container) : isStarted(container);
}

function containerStatus(container: Container, record: ContainerRecord, obstacle?: string): Record<string, unknown> {
  const { state } = record;
  const id = state.kind === "waiting" ? record.last?.id : state.id;
  // A kubelet tells of obstacles by Events alone; here is the only place to look.
  const shown = state.kind === "waiting" && obstacle !== undefined ? { ...state, message: obstacle } : state;
  return {
    name: container.name,
    image: container.image,
    imageID: container.image,
    ...(id ? { containerID: id } : {}),
    restartCount: record.restarts,
    started: isStarted(record),
    ready: isReady(record),
    state: formatState(shown),
    ...(record.last ? { lastState: formatState(record.last) } : {}),
  };
}

function formatState(state: ContainerState): Record<string, unknown> {
  switch (state.kind) {
    case "waiting":
      return { waiting: { reason: state.reason, ...(state.message === undefined ? {} : { message: state.message }) } };
    case "running":
      return { running: { startedAt: formatTime(state.startedAt) } };
    case "terminated": {
      const { kind: _, id, startedAt, finishedAt, ...rest } = state;
      return {
        terminated: {
          ...rest,
          startedAt: formatTime(startedAt),
          finishedAt: formatTime(finishedAt),
          ...(id ? { containerID: id } : {}),
        },
      };
    }
  }
}

/** Seconds are all that the API keeps of a time. */
function formatTime(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
