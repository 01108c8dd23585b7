import { type Clock, errorMessage } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import type { Candidate } from "./election.ts";
import type { LeaseClient } from "./lease_client.ts";
import { liveReplicas, longDead, nextDeath, type SeenReplicas, seenReplicas } from "./replicas.ts";

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

/** Who lives, by the Leases of all replicas. While the API server does not answer, nobody is known to renew, and so all but us run out. */
export class ReplicaCensus {
  readonly #options: ReplicaCensusOptions;
  #seen: SeenReplicas = new Map();
  #told: string;
  #ended = false;
  #problem: string | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #cancelLook: (() => void) | undefined;
  #cancelDeath: (() => void) | undefined;

  constructor(options: ReplicaCensusOptions) {
    this.#options = options;
    this.#told = JSON.stringify([...this.live()]);
  }

  /** Boot ids of the replicas that live, by name. */
  live(): ReadonlyMap<string, string> {
    return liveReplicas(this.#seen, this.#options.self, this.#options.clock.monotonic());
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
    if (this.#ended) return Promise.resolve();
    this.#cancelLook?.();
    if (this.#looking) this.#again = true; // what it reads may be from before
    return this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#ended) return;
      this.#tell();
      const { clock, everyMs } = this.#options;
      const wait = this.#again ? 0 : everyMs;
      this.#again = false;
      this.#cancelLook = clock.after(wait, () => void this.look());
    });
  }

  /** Ends; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#ended = true;
    this.#cancelLook?.();
    await this.#looking;
    this.#cancelDeath?.();
  }

  async #look(): Promise<void> {
    const { client, selector, self, clock, forgetAfterMs, log, leading } = this.#options;
    try {
      this.#seen = seenReplicas(this.#seen, await client.list(selector), clock.monotonic());
      this.#problem = undefined;
      if (!leading()) return;
      for (const lease of longDead(this.#seen, self, { now: clock.monotonic(), afterMs: forgetAfterMs })) {
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
    const { self, clock, onChange, log } = this.#options;
    const live = this.live();
    this.#cancelDeath?.();
    const death = nextDeath(this.#seen, self, clock.monotonic());
    this.#cancelDeath = death === undefined
      ? undefined
      : clock.after(Math.max(0, death - clock.monotonic()), () => this.#tell());
    const now = JSON.stringify([...live]);
    if (now === this.#told) return;
    this.#told = now;
    log.info("The replicas that live", { replicas: [...live.keys()].join(", ") });
    onChange();
  }
}
