import { expect } from "expect";
import { applyEvent, type PodEvent } from "./event.ts";
import type { Pod, PodSpec, PodStatus } from "./pod.ts";
import { newRecord } from "./record.ts";
import { podStatus } from "./status.ts";

const START = Date.UTC(2026, 0, 1);

function pod(spec: Partial<PodSpec> = {}, status: PodStatus = {}): Pod {
  const metadata = { name: "p", namespace: "n", uid: "u", generation: 3 };
  return { metadata, spec: { containers: [{ name: "app", image: "i" }], ...spec }, status };
}

function statusOf(given: Pod, events: readonly PodEvent[] = [], initialized = true) {
  let record = { ...newRecord(given.spec), initialized };
  for (const event of events) record = { ...applyEvent(record, event, 1000), initialized };
  const status = podStatus(given, record, { hostIP: "1.1.1.1", podIP: "2.2.2.2", startTime: START, now: START + 5000 });
  // Made by the function itself, in the shape of the API.
  return JSON.parse(JSON.stringify(status)) as {
    phase: string;
    conditions: {
      type: string;
      status: string;
      reason: string | null;
      message: string | null;
      lastTransitionTime: string;
    }[];
    containerStatuses: object[];
    initContainerStatuses: object[];
  };
}

function condition(status: ReturnType<typeof statusOf>, type: string) {
  return status.conditions.find((one) => one.type === type);
}

const READY: readonly PodEvent[] = [
  { kind: "sandbox-ready" },
  { kind: "running", container: "app", id: "process://u/app/0", at: START + 2000 },
];

Deno.test("podStatus() of a new Pod is Pending, and says what is not ready", () => {
  const status = statusOf(pod({ initContainers: [{ name: "init", image: "i" }] }), [], false);
  expect(status.phase).toBe("Pending");
  expect(condition(status, "Initialized")).toMatchObject({
    status: "False",
    reason: "ContainersNotInitialized",
    message: "containers with incomplete status: [init]",
  });
  expect(condition(status, "Ready")).toMatchObject({
    status: "False",
    reason: "ContainersNotReady",
    message: "containers with unready status: [app]",
  });
});

Deno.test("podStatus() of a running Pod is ready, without the reasons of before", () => {
  const status = statusOf(pod(), READY);
  expect(status.phase).toBe("Running");
  expect(condition(status, "Ready")).toMatchObject({ status: "True", reason: null, message: null });
  expect(status.containerStatuses).toEqual([{
    name: "app",
    image: "i",
    imageID: "i",
    containerID: "process://u/app/0",
    restartCount: 0,
    started: true,
    ready: true,
    state: { running: { startedAt: "2026-01-01T00:00:02Z" } },
  }]);
});

Deno.test("podStatus() keeps the time of a condition that did not change", () => {
  const conditions = [
    { type: "Ready", status: "True", lastTransitionTime: "2025-01-01T00:00:00Z" },
    { type: "ContainersReady", status: "False", lastTransitionTime: "2025-01-01T00:00:00Z" },
  ];
  const status = statusOf(pod({}, { conditions }), READY);
  expect(condition(status, "Ready")?.lastTransitionTime).toBe("2025-01-01T00:00:00Z");
  expect(condition(status, "ContainersReady")?.lastTransitionTime).toBe("2026-01-01T00:00:05Z");
});

Deno.test("podStatus() is not ready while a readiness gate is closed", () => {
  const gated = { readinessGates: [{ conditionType: "example.com/gate" }] };
  expect(condition(statusOf(pod(gated), READY), "Ready")?.reason).toBe("ReadinessGatesNotReady");
  const open = { conditions: [{ type: "example.com/gate", status: "True" }] };
  expect(condition(statusOf(pod(gated, open), READY), "Ready")?.status).toBe("True");
});

Deno.test("podStatus() tells the present and the last end of a container", () => {
  const end = { exitCode: 2, reason: "Error", message: "why", finishedAt: START + 3000 };
  const again: PodEvent = { kind: "running", container: "app", id: "process://u/app/1", at: START + 4000 };
  const exited: PodEvent = { kind: "exited", container: "app", end };
  const terminated = {
    exitCode: 2,
    reason: "Error",
    message: "why",
    startedAt: "2026-01-01T00:00:02Z",
    finishedAt: "2026-01-01T00:00:03Z",
    containerID: "process://u/app/0",
  };
  expect(statusOf(pod(), [...READY, exited]).containerStatuses[0]).toMatchObject({
    ready: false,
    state: { terminated },
  });
  expect(statusOf(pod(), [...READY, exited, again]).containerStatuses[0]).toMatchObject({
    restartCount: 1,
    state: { running: {} },
    lastState: { terminated },
  });
});

Deno.test("podStatus() says why a container could not be started", () => {
  const failed: PodEvent = {
    kind: "start-failed",
    container: "app",
    reason: "ErrImagePull",
    message: "no such image",
    retryAt: START,
  };
  const status = statusOf(pod(), [{ kind: "sandbox-ready" }, failed]);
  expect(status.containerStatuses[0]).toMatchObject({
    state: { waiting: { reason: "ErrImagePull", message: "no such image" } },
  });
  expect(status.phase).toBe("Pending");
});

Deno.test("podStatus() says what keeps the Pod from being set up", () => {
  const status = statusOf(pod(), [{ kind: "sandbox-failed", message: 'secret "keys" not found', retryAt: START }]);
  expect(status.containerStatuses[0]).toMatchObject({
    state: { waiting: { reason: "ContainerCreating", message: 'secret "keys" not found' } },
  });
});
