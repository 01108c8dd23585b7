import { ChanceryError, type Clock, errorMessage } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import { type Candidate, electionStep, identityOf, type LeaseTimes, nameOf } from "./election.ts";
import { type Lease, type LeaseContent, microTime } from "./lease.ts";
import type { LeaseClient } from "./lease_client.ts";
import { LookLoop } from "./look_loop.ts";
import { sighted, type Sighting } from "./sighting.ts";

/** Options of {@linkcode LeaderElection}. */
export interface LeaderElectionOptions {
  readonly client: Pick<LeaseClient, "get" | "create" | "replace">;
  /** Name of the Lease. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly self: Candidate;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  /** A number in [0, 1): candidates must not look in step. */
  readonly random: () => number;
  readonly log: Logger;
  /** Told when this candidate begins or ceases to lead. */
  readonly onChange: (leading: boolean) => void;
}

/** Share of the retry period that is added at random. */
const JITTER = 0.2;
/** Looks in a row that may end in a race before it is told. */
const QUIET_RACES = 3;

/**
 * Stands for leader until it is stopped. It leads only while its last renewal, counted from before it was asked for, is younger
 * than the renew deadline: whoever may take the Lease counts from later on and waits longer. That is said at every question, so
 * a process that stood still for a while does not believe in itself when it wakes.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  #lease: Lease | undefined;
  #sighting: Sighting | undefined;
  #looked = false;
  /** When the last renewal that succeeded was asked for; `undefined` when the Lease is not ours. */
  #renewedAt: number | undefined;
  #told = false;
  #races = 0;
  #problem: string | undefined;
  readonly #loop: LookLoop;
  #cancelDeadline: (() => void) | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    const { clock, random, times: { retryMs } } = options;
    this.#loop = new LookLoop({
      clock,
      look: () => this.#look(),
      looked: () => this.#tell(),
      waitMs: () => retryMs * (1 + JITTER * random()),
    });
  }

  /** Whether this candidate may write now. */
  leading(): boolean {
    const { clock, times } = this.#options;
    return this.#renewedAt !== undefined && clock.monotonic() - this.#renewedAt < times.renewDeadlineMs;
  }

  /** Name of the replica that leads, as far as is known. */
  leader(): string | undefined {
    if (this.leading()) return this.#options.self.name;
    const holder = this.#lease?.holder ?? "";
    return holder === "" || holder === identityOf(this.#options.self) ? undefined : nameOf(holder);
  }

  /** Why the last look failed; `undefined` when it did not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Resolves after the first look, however it went. */
  start(): Promise<void> {
    return this.look();
  }

  /** Looks now: something has changed. */
  look(): Promise<void> {
    return this.#loop.look();
  }

  /** Ceases to lead, and gives the Lease back, so that another need not wait. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const ours = this.#renewedAt !== undefined ? this.#lease : undefined;
    this.#lost();
    this.#tell();
    if (!ours) return;
    const { client, log } = this.#options;
    try {
      await client.replace(ours, { ...this.#content(ours), holder: "", durationMs: 1_000 });
    } catch (thrown) {
      log.warn("Cannot give the leader's Lease back; it runs out by itself", { error: errorMessage(thrown) });
    }
  }

  async #look(): Promise<void> {
    const startedAt = this.#options.clock.monotonic();
    try {
      // What was read last is written at once: whether somebody was faster is told by the conflict.
      if (this.#renewedAt === undefined) await this.#read();
      try {
        await this.#step(startedAt);
      } catch (thrown) {
        if (!isRace(thrown)) throw thrown;
        await this.#read();
        await this.#step(startedAt);
      }
      this.#problem = undefined;
      this.#races = 0;
    } catch (thrown) {
      // Others may be faster now and then. Nobody is that always: the namespace may not exist.
      if (!isRace(thrown) || ++this.#races >= QUIET_RACES) this.#failed(thrown);
    }
  }

  async #read(): Promise<void> {
    const { client, name, clock } = this.#options;
    const lease = await client.get(name);
    this.#lease = lease;
    this.#sighting = lease && sighted(this.#sighting, lease, clock.monotonic());
  }

  async #step(startedAt: number): Promise<void> {
    const { client, name, self, clock, times } = this.#options;
    const [lease, sighting, now, first] = [this.#lease, this.#sighting, clock.monotonic(), !this.#looked];
    this.#looked = true;
    const step = electionStep({ lease, sighting, self, now, first });
    if (step !== "renew") this.#lost();
    if (step === "wait" || this.#loop.ended) return;
    const written = lease
      ? await client.replace(lease, this.#content(lease))
      : await client.create(name, this.#content(undefined));
    this.#lease = written;
    this.#sighting = sighted(this.#sighting, written, startedAt);
    this.#renewedAt = startedAt;
    this.#cancelDeadline?.();
    const left = startedAt + times.renewDeadlineMs - clock.monotonic();
    this.#cancelDeadline = clock.after(Math.max(0, left), () => this.#tell());
  }

  #content(before: Lease | undefined): LeaseContent {
    const { self, times, clock, labels } = this.#options;
    const holder = identityOf(self);
    const now = microTime(clock.now());
    const ours = before?.holder === holder;
    return {
      holder,
      durationMs: times.durationMs,
      acquireTime: ours ? before.acquireTime ?? now : now,
      renewTime: now,
      transitions: (before?.transitions ?? 0) + (before && !ours ? 1 : 0),
      labels,
    };
  }

  #lost(): void {
    this.#renewedAt = undefined;
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
  }

  #failed(thrown: unknown): void {
    const message = errorMessage(thrown);
    if (message !== this.#problem) {
      this.#options.log.warn("Cannot look at the leader's Lease", { error: message, leading: this.leading() });
    }
    this.#problem = message;
  }

  #tell(): void {
    const leading = this.leading();
    if (leading === this.#told) return;
    this.#told = leading;
    const { log, onChange, name } = this.#options;
    if (leading) log.info("Leading now", { lease: name });
    else log.info("Not leading any more", { lease: name, leader: this.leader() });
    onChange(leading);
  }
}

/** Somebody else was faster: written, created or removed in between. */
function isRace(thrown: unknown): boolean {
  return thrown instanceof ChanceryError && (thrown.code === "conflict" || thrown.code === "not-found");
}
