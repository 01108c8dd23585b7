import type { Clock } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import type { KubeConnection } from "../connection/connection.ts";
import { Reflector } from "../reflector/reflector.ts";
import { knownResource } from "../resources.ts";
import { type Candidate, leaseRequestTimeoutOf, type LeaseTimes } from "./election.ts";
import { LeaderElection } from "./leader_election.ts";
import { LeaseClient } from "./lease_client.ts";
import { isLeaseNews } from "./lease_news.ts";
import { ReplicaCensus } from "./replica_census.ts";
import { ReplicaLease } from "./replica_lease.ts";
import { REPLICA_LEASE_PREFIX } from "./replicas.ts";

/** Options of {@linkcode openLeases}. */
export interface LeasesOptions {
  readonly connection: KubeConnection;
  /** Where the Leases are. */
  readonly namespace: string;
  /** Name of the leader's Lease; replicas that share it are one group. */
  readonly name: string;
  /** Value of the label `chancery.dev/role`. */
  readonly role: string;
  readonly self: Candidate;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly onLeadership: (leading: boolean) => void;
  readonly onReplicas: () => void;
}

/** The Leases of one replica: its sign of life, whom else it sees, and whether it leads. */
export interface Leases {
  /** Resolves after one look at each, however it went. */
  start(): Promise<void>;
  leading(): boolean;
  /** Name of the replica that leads, as far as is known. */
  leader(): string | undefined;
  /** Boot ids of the replicas that live, by name; this one always does. */
  live(): ReadonlyMap<string, string>;
  /** What the replicas that live told of themselves, by name; this one is there once its own words could be read. */
  told(): ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** What others are to know of this replica from now on, as annotations of its Lease; resolves after the first try. */
  tell(annotations: Readonly<Record<string, string>>): Promise<void>;
  /** What goes wrong with any of it. */
  problems(): readonly string[];
  /** Gives the leader's Lease back. */
  resign(): Promise<void>;
  /** Gives all back, and ends. */
  stop(): Promise<void>;
}

/** A Lease that ran out is kept for so long, for people who wonder. */
const FORGET_AFTER_MS = 60_000;

/** Shows that this replica lives, counts the others, and stands for leader, from its start until its stop. */
export function openLeases(options: LeasesOptions): Leases {
  const { connection, namespace, name, role, self, times, clock, random, log } = options;
  const client = new LeaseClient({ connection, namespace, timeoutMs: leaseRequestTimeoutOf(times) });
  const group = { "chancery.dev/role": role, "chancery.dev/group": name };
  const labels = { "app.kubernetes.io/managed-by": "chancery", ...group };
  const own = new ReplicaLease({
    client,
    name: `${REPLICA_LEASE_PREFIX}${self.name}`,
    labels,
    self,
    durationMs: times.durationMs,
    clock,
    log,
  });
  const election = new LeaderElection({
    client,
    name,
    labels,
    self,
    times,
    clock,
    random,
    log,
    onChange: options.onLeadership,
  });
  const census = new ReplicaCensus({
    client,
    selector: Object.entries(group).map(([name, value]) => `${name}=${value}`).join(","),
    self,
    everyMs: times.retryMs,
    forgetAfterMs: FORGET_AFTER_MS,
    clock,
    log,
    leading: () => election.leading(),
    onChange: options.onReplicas,
  });
  // What is given back or removed is seen at once; whether anybody renews is what the looks at every turn tell.
  let news: Reflector | undefined;
  return {
    async start() {
      await own.start();
      await Promise.all([census.start(), election.start()]);
      news = new Reflector({
        connection,
        resource: knownResource("Lease"),
        namespace,
        clock,
        random,
        log,
        onEvent(event) {
          if (!isLeaseNews(event, group)) return;
          void census.look();
          if (!election.leading()) void election.look();
        },
      });
    },
    leading: () => election.leading(),
    leader: () => election.leader(),
    live: () => census.live(),
    told: () => census.told(),
    tell: (annotations) => own.tell(annotations),
    problems: () => [own.problem, election.problem, census.problem].filter((problem) => problem !== undefined),
    resign: () => election.stop(),
    async stop() {
      await news?.[Symbol.asyncDispose]();
      await Promise.all([election.stop(), census.stop()]);
      await own.stop();
    },
  };
}
