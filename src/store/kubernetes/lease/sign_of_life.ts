import type { Clock } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import type { Candidate } from "./election.ts";
import { LeaseClient, type LeaseConnection } from "./lease_client.ts";
import { ReplicaCensus } from "./replica_census.ts";
import { ReplicaLease } from "./replica_lease.ts";
import { REPLICA_LEASE_PREFIX } from "./replicas.ts";

/** Options of {@linkcode openSignOfLife}. */
export interface SignOfLifeOptions {
  readonly connection: LeaseConnection;
  /** Where the Lease is. */
  readonly namespace: string;
  /** Values of the labels `chancery.dev/role` and `chancery.dev/group`, by which replicas are found. */
  readonly role: string;
  readonly group: string;
  readonly self: Candidate;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The Lease of a replica of which none leads. */
export interface SignOfLife {
  /** What others are to know of this replica from now on, as annotations of its Lease; resolves after the first try. */
  tell(annotations: Readonly<Record<string, string>>): Promise<void>;
  /** Takes the Lease away, and ends. */
  stop(): Promise<void>;
}

const DURATION_MS = 15_000;
const REQUEST_MS = 5_000;
/** How often to look for Leases of replicas that are gone, and how long those are kept for people who wonder. In milliseconds. */
const LOOK_MS = 10_000;
const FORGET_AFTER_MS = 60_000;

/** Shows that this replica lives, from the first thing that is told until its stop; replicas clean up after each other. */
export function openSignOfLife(options: SignOfLifeOptions): SignOfLife {
  const { connection, namespace, role, group, self, clock, log } = options;
  const client = new LeaseClient({ connection, namespace, timeoutMs: REQUEST_MS });
  const names = { "chancery.dev/role": role, "chancery.dev/group": group };
  const own = new ReplicaLease({
    ...{ client, self, clock, log },
    name: `${REPLICA_LEASE_PREFIX}${self.name}`,
    labels: { "app.kubernetes.io/managed-by": "chancery", ...names },
    durationMs: DURATION_MS,
  });
  const census = new ReplicaCensus({
    ...{ client, self, clock, log },
    selector: Object.entries(names).map(([name, value]) => `${name}=${value}`).join(","),
    everyMs: LOOK_MS,
    forgetAfterMs: FORGET_AFTER_MS,
    leading: () => true,
    onChange: () => {},
  });
  let looks = false;
  return {
    async tell(annotations) {
      await own.tell(annotations);
      if (!looks) void census.start();
      looks = true;
    },
    async stop() {
      await census.stop();
      await own.stop();
    },
  };
}
