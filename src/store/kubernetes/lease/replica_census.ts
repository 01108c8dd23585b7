import { type Clock, errorMessage } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import type { Candidate } from "./election.ts";
import type { LeaseClient } from "./lease_client.ts";
import { LookLoop } from "./look_loop.ts";
import { liveReplicas, longDead, type SeenReplicas, seenReplicas } from "./replicas.ts";

/** Options of {@linkcode ReplicaCensus}. */
export interface ReplicaCensusOptions {
  readonly client: Pick<LeaseClient, "list" | "remove">;
  /** Label selector of the Leases of replicas. */
  readonly selector: string;
  readonly self: Candidate;
  /** How often to look, in milliseconds. */
  readonly everyMs: number;
  /** How long a Lease that ran out is left alone, in milliseconds. */
  readonly forgetAfterMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether this replica cleans up. */
  readonly leading: () => boolean;
  /** Told when a replica has come or gone. */
  readonly onChange: () => void;
}

/** After so many turns without a look, nothing that was seen before says who is dead. */
const MISSED_TURNS = 3;

/**
 * Who lives, by the Leases of all replicas. Time counts only while they can be looked at: when the API server does not answer, or
 * this process stood still, nobody can be seen to renew, and nobody is dead for that.
 */
export class ReplicaCensus {
  readonly #options: ReplicaCensusOptions;
  #seen: SeenReplicas = new Map();
  /** When all was seen last. */
  #seenAt = -Infinity;
  #told: string;
  #problem: string | undefined;
  readonly #loop: LookLoop;

  constructor(options: ReplicaCensusOptions) {
    this.#options = options;
    this.#loop = new LookLoop({
      clock: options.clock,
      look: () => this.#look(),
      looked: () => {
        if (!this.#loop.ended) this.#tell();
      },
      waitMs: () => options.everyMs,
    });
    this.#told = JSON.stringify([...this.live()]);
  }

  /** Boot ids of the replicas that live, by name. */
  live(): ReadonlyMap<string, string> {
    return liveReplicas(this.#seen, this.#options.self, this.#seenAt);
  }

  /** Annotations of the replicas that live, by name, as they were seen last. */
  told(): ReadonlyMap<string, Readonly<Record<string, string>>> {
    const live = this.live();
    return new Map(
      [...this.#seen].filter(([name, { lease }]) => live.get(name) === lease.holder)
        .map(([name, { lease }]) => [name, lease.annotations]),
    );
  }

  /** Why the last look failed; `undefined` when it did not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Resolves after the first look, however it went. */
  start(): Promise<void> {
    return this.look();
  }

  /** Looks now. */
  look(): Promise<void> {
    return this.#loop.look();
  }

  /** Ends; resolves when nothing is under way any more. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(): Promise<void> {
    const { client, selector, self, clock, everyMs, forgetAfterMs, log, leading } = this.#options;
    try {
      const leases = await client.list(selector);
      const now = clock.monotonic();
      const before = now - this.#seenAt > MISSED_TURNS * everyMs ? new Map() : this.#seen;
      this.#seen = seenReplicas(before, leases, now);
      this.#seenAt = now;
      this.#problem = undefined;
      if (!leading()) return;
      for (const lease of longDead(this.#seen, self, { now, afterMs: forgetAfterMs })) {
        await client.remove(lease);
        log.info("Removed the Lease of a replica that is gone", { lease: lease.name });
      }
    } catch (thrown) {
      const message = errorMessage(thrown);
      if (message !== this.#problem) log.warn("Cannot see which replicas live", { error: message });
      this.#problem = message;
    }
  }

  #tell(): void {
    const { onChange, log } = this.#options;
    const live = this.live();
    const now = JSON.stringify([...live]);
    if (now === this.#told) return;
    this.#told = now;
    log.info("The replicas that live", { replicas: [...live.keys()].join(", ") });
    onChange();
  }
}
