import { ChanceryError, type Clock, errorMessage } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import type { Candidate } from "./election.ts";
import { type Lease, type LeaseContent, microTime } from "./lease.ts";
import type { LeaseClient } from "./lease_client.ts";

/** Options of {@linkcode ReplicaLease}. */
export interface ReplicaLeaseOptions {
  readonly client: Pick<LeaseClient, "get" | "create" | "replace" | "remove">;
  /** Name of the Lease. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly self: Candidate;
  /** How long others believe in this replica without a renewal, in milliseconds; renewed three times in that. */
  readonly durationMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The sign of life of one replica: a Lease that holds its boot id, renewed until it is stopped. */
export class ReplicaLease {
  readonly #options: ReplicaLeaseOptions;
  #lease: Lease | undefined;
  #annotations: Readonly<Record<string, string>> = {};
  #ended = false;
  #problem: string | undefined;
  #rival: string | undefined;
  #renewing: Promise<void> | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: ReplicaLeaseOptions) {
    this.#options = options;
  }

  /** Why others may not know that this replica lives; `undefined` when they do. */
  get problem(): string | undefined {
    return this.#rival ?? this.#problem;
  }

  /** Resolves after the first try, however it went. */
  start(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#cancel?.();
    return this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
      const { clock, durationMs } = this.#options;
      if (!this.#ended) this.#cancel = clock.after(durationMs / 3, () => void this.start());
    });
  }

  /** What others are to know of this replica from now on; resolves after the first try to write it. */
  async tell(annotations: Readonly<Record<string, string>>): Promise<void> {
    this.#annotations = annotations;
    await this.#renewing; // what is on its way may be from before
    await this.start();
  }

  /** Takes the sign of life away: whoever counts replicas need not wait. */
  async stop(): Promise<void> {
    this.#ended = true;
    this.#cancel?.();
    await this.#renewing;
    if (!this.#lease) return;
    const { client, log } = this.#options;
    try {
      await client.remove(this.#lease);
    } catch (thrown) {
      log.warn("Cannot remove the Lease of this replica; it runs out by itself", { error: errorMessage(thrown) });
    }
  }

  async #renew(): Promise<void> {
    const { client, name, self, log } = this.#options;
    try {
      try {
        this.#lease = this.#lease
          ? await client.replace(this.#lease, this.#content(this.#lease))
          : await this.#take(await client.get(name));
      } catch (thrown) {
        if (!(thrown instanceof ChanceryError && (thrown.code === "conflict" || thrown.code === "not-found"))) {
          throw thrown;
        }
        const found = await client.get(name); // removed as dead while this process stood still, or edited
        this.#notice(found);
        this.#lease = await this.#take(found);
      }
      if (this.#problem !== undefined) log.info("The Lease of this replica is renewed again", { lease: name });
      this.#problem = undefined;
    } catch (thrown) {
      const message = errorMessage(thrown);
      if (message !== this.#problem) {
        log.warn("Cannot renew the Lease of this replica", { replica: self.name, error: message });
      }
      this.#problem = message;
    }
  }

  async #take(found: Lease | undefined): Promise<Lease> {
    const { client, name } = this.#options;
    if (found) return await client.replace(found, this.#content(found));
    return await client.create(name, this.#content(undefined));
  }

  /** Somebody else wrote into it after we did. */
  #notice(found: Lease | undefined): void {
    const { name, self, log } = this.#options;
    if (!found || !this.#lease || found.holder === self.bootId || found.holder === "") return;
    if (this.#rival === undefined) {
      this.#rival = `another process runs under the replica name ${JSON.stringify(self.name)}, too`;
      log.error("Two processes share a name", { replica: self.name, lease: name, other: found.holder });
    }
  }

  #content(before: Lease | undefined): LeaseContent {
    const { self: { bootId }, durationMs, clock, labels } = this.#options;
    const now = microTime(clock.now());
    const ours = before?.holder === bootId;
    return {
      holder: bootId,
      durationMs,
      acquireTime: ours ? before.acquireTime ?? now : now,
      renewTime: now,
      transitions: (before?.transitions ?? 0) + (before && !ours ? 1 : 0),
      labels,
      annotations: this.#annotations,
    };
  }
}
