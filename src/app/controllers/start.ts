import { systemClock } from "../../base/mod.ts";
import { connect, knownResource, type KubeConnection, openKubernetesStore } from "../../store/kubernetes/mod.ts";
import {
  LeaderElection,
  LeaseClient,
  leaseRequestTimeoutOf,
  writeTimeoutOf,
} from "../../store/kubernetes/lease/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";
import { prometheusMetrics } from "../../telemetry/export/mod.ts";
import { serveProcess, type ServerHost, watchedNamespaces } from "../process/mod.ts";
import { leaseNamespaceOf, leaseTimesOf, thisReplica } from "../replica/mod.ts";
import { tellOutdatedKinds } from "../outdated_kinds/mod.ts";
import type { ControllerGroup, OpenGroup } from "./group.ts";
import type { ControllersOptions } from "./options.ts";
import { RESOURCES } from "./resources.ts";
import { untilClear } from "./until_clear.ts";

/** Controllers that run. */
export interface RunningControllers extends AsyncDisposable {
  readonly addresses: { readonly metrics?: string; readonly probes?: string };
}

/** What a role is made of. */
export interface ControllersParts {
  readonly host: ServerHost;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Name of the role, for Events and for Leases. */
  readonly role: string;
  readonly groups: readonly ControllerGroup[];
  /** Says what has to be out of the way before any group is led, if anything is. */
  readonly obstacle?: (
    namespaces: readonly string[],
    around: { readonly connection: KubeConnection; readonly log: Logger },
  ) => Promise<string | undefined>;
}

/**
 * Puts a role together: probes at once, then the groups of controllers with all that the API server knows, and the election of each
 * last, so that whoever leads knows everything. Throws what keeps it from starting.
 */
export async function startControllers(
  options: ControllersOptions,
  { host, log, signal, role, groups, obstacle }: ControllersParts,
): Promise<RunningControllers> {
  const clock = systemClock;
  const namespaces = watchedNamespaces(options.watchNamespace);
  const times = leaseTimesOf(options);
  const self = thisReplica(undefined, host);
  await using parts = new AsyncDisposableStack();
  const prometheus = prometheusMetrics();
  const { metrics } = prometheus;
  metrics.set("chancery_build_info", { version: host.version, envoy_api: host.envoyApi }, 1);
  metrics.set("process_start_time_seconds", {}, clock.now() / 1000);
  const { kubeconfig, context } = options;
  const connection = parts.use(
    await connect({ ...{ kubeconfig, context, clock, log, metrics }, env: (name) => host.env(name) }),
  );
  // Nothing waits for it: it is for those who read the log.
  void tellOutdatedKinds(groups.flatMap(({ kinds }) => kinds), { connection, log });
  const namespace = leaseNamespaceOf(options, { host, connection });
  const store = parts.use(
    openKubernetesStore({
      ...{ connection, namespaces, clock, log, metrics },
      random: Math.random,
      resources: [
        ...RESOURCES,
        ...groups.flatMap(({ resources = [] }) => resources),
        ...(groups.some(({ keepsSecrets }) => keepsSecrets)
          ? [{ ...knownResource("Secret"), alsoIn: [namespace] }]
          : []),
      ],
      component: role,
      instance: self.name,
      writeTimeoutMs: writeTimeoutOf(times),
    }),
  );
  const state: { pending: string | undefined } = { pending: "the API server is being asked" };
  const run = groups.map((group) => {
    const late: { election?: LeaderElection } = {};
    const leading = () => options.leaderElect ? late.election?.leading() ?? false : state.pending === undefined;
    const opened = group.open({
      ...{ store, connection, clock, metrics, leading, namespace, resyncMs: options.resyncPeriod },
      log: log.with({ group: group.name }),
    });
    return { group, opened, late, leading };
  });
  const missing = () => [
    ...(state.pending === undefined ? [] : [state.pending]),
    ...store.watches().flatMap(({ kind, problem }) => problem === undefined ? [] : [`watch of ${kind}: ${problem}`]),
    ...run.flatMap(({ late }) => late.election?.problem ?? []),
  ];
  const collect = (metrics: Metrics) => {
    metrics.set("chancery_ready", {}, missing().length === 0 ? 1 : 0);
    for (const { group, leading, opened } of run) {
      metrics.set("chancery_lease_held", { group: group.name }, leading() ? 1 : 0);
      collectFrom(opened, metrics, clock.now());
    }
    const { rss, heapUsed } = Deno.memoryUsage();
    metrics.set("process_resident_memory_bytes", {}, rss);
    metrics.set("process_heap_bytes", {}, heapUsed);
  };
  const { contentType } = prometheus;
  const { addresses } = parts.use(
    await serveProcess(
      { missing, metrics: async () => ({ contentType, text: await prometheus.text(collect) }) },
      options,
    ),
  );
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  const until = AbortSignal.any([signal, ending.signal]);
  await Promise.all(
    run.flatMap(({ opened }) => opened.controllers.map(({ controller }) => controller.start(until))),
  );
  if (obstacle) {
    const show = (problem: string) => state.pending = problem;
    await untilClear(() => obstacle(namespaces, { connection, log }), { clock, log, signal, show });
  }
  signal.throwIfAborted();
  if (options.leaderElect) {
    const client = new LeaseClient({ connection, namespace, timeoutMs: leaseRequestTimeoutOf(times) });
    for (const { group, opened, late } of run) {
      const election = late.election = new LeaderElection({
        ...{ client, name: group.lease, self, times, clock, log },
        labels: { "app.kubernetes.io/managed-by": "chancery", "chancery.dev/role": role },
        random: Math.random,
        onChange: (leading) => {
          if (leading) lookAtAll(opened);
        },
      });
      parts.defer(() => election.stop());
    }
    await Promise.all(run.map(({ late }) => late.election?.start()));
    signal.throwIfAborted();
  }
  state.pending = undefined;
  if (!options.leaderElect) { for (const { opened } of run) lookAtAll(opened); }
  const running = parts.move();
  return {
    addresses,
    async [Symbol.asyncDispose]() {
      state.pending = "shutting down";
      ending.abort(); // nothing new begins
      await Promise.all(run.flatMap(({ opened }) => opened.controllers.map(({ controller }) => controller.idle())));
      await running.disposeAsync();
    },
  };
}

function lookAtAll({ controllers }: OpenGroup): void {
  for (const { controller } of controllers) controller.lookAtAll();
}

function collectFrom(opened: OpenGroup, metrics: Metrics, now: number): void {
  for (const { kind, controller } of opened.controllers) {
    metrics.set("chancery_objects_failing", { kind }, controller.failing);
    metrics.set("chancery_objects_waiting", { kind }, controller.waiting);
  }
  opened.collect?.(metrics, now);
}
