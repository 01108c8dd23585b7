import type { Clock } from "../../../base/mod.ts";
import { LeaseClient, type LeaseConnection } from "./lease_client.ts";
import { type SeenReplicas, seenReplicas } from "./replicas.ts";
import { isHeld } from "./sighting.ts";

/** A replica that lives, as it tells of itself. */
export interface ReplicaReport {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Options of {@linkcode ReplicaReports}. */
export interface ReplicaReportsOptions {
  readonly connection: LeaseConnection;
  /** Label selector of the Leases of replicas. */
  readonly selector: string;
  readonly clock: Pick<Clock, "monotonic">;
  /** For each request, in milliseconds. */
  readonly timeoutMs: number;
  /** When nobody looked at a namespace for so long, in milliseconds, nothing that was seen before says who is dead. */
  readonly forgetAfterMs: number;
}

interface Namespace {
  readonly client: LeaseClient;
  readonly seen: SeenReplicas;
  readonly at: number;
}

/**
 * Who lives in namespaces of others, and what they tell, for whoever asks now and then and is no replica. Only that a Lease was
 * renewed from one look to another says that its holder lives, so at the first look all of them do, and the next ones know better.
 */
export class ReplicaReports {
  readonly #options: ReplicaReportsOptions;
  readonly #namespaces = new Map<string, Namespace>();

  constructor(options: ReplicaReportsOptions) {
    this.#options = options;
  }

  /** The replicas of a namespace that live, by name. Throws what the API server says. */
  async of(namespace: string): Promise<readonly ReplicaReport[]> {
    const { connection, selector, clock, timeoutMs, forgetAfterMs } = this.#options;
    const before = this.#namespaces.get(namespace);
    const client = before?.client ?? new LeaseClient({ connection, namespace, timeoutMs });
    const leases = await client.list(selector);
    const now = clock.monotonic();
    for (const [name, { at }] of this.#namespaces) if (now - at > forgetAfterMs) this.#namespaces.delete(name);
    const seen = seenReplicas(this.#namespaces.get(namespace)?.seen ?? new Map(), leases, now);
    if (seen.size > 0) this.#namespaces.set(namespace, { client, seen, at: now });
    else this.#namespaces.delete(namespace);
    return [...seen].filter(([, { lease, sighting }]) => isHeld(lease, sighting, now))
      .map(([name, { lease }]) => ({ name, annotations: lease.annotations }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
