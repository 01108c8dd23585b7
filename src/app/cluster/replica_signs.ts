import { ChanceryError, type Clock } from "../../base/mod.ts";
import type { Store, StoredObject } from "../../store/mod.ts";

/** By this label replicas of the discovery service mark their Leases. */
const ROLE = { "chancery.dev/role": "discovery-service" };
const LEASE_PREFIX = "chancery-replica-";
/** Clocks differ, and nobody waits here to see whether a Lease is renewed. */
const SKEW_MS = 15_000;
const EVERY_MS = 10_000;

/**
 * Whether any replica of the discovery service lives, by the Leases: those in the namespace where there are some, else all. Who
 * may not read them is told nothing: what the objects say is true all the same, it may only be old.
 */
export class ReplicaSigns {
  readonly #store: Pick<Store, "list">;
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  #lookedAt = -Infinity;
  #problem: string | undefined;

  constructor(store: Pick<Store, "list">, clock: Pick<Clock, "now" | "monotonic">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Looks, unless it did a moment ago. */
  async look(namespace: string | undefined): Promise<void> {
    if (this.#clock.monotonic() - this.#lookedAt < EVERY_MS) return;
    this.#lookedAt = this.#clock.monotonic();
    const near = namespace === undefined ? [] : await this.#leases(namespace) ?? [];
    const leases = near.length > 0 ? near : await this.#leases(undefined);
    this.#problem = leases && problemOf(leases, this.#clock.now());
  }

  problems(): readonly string[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }

  /** `undefined` when they must not be read. */
  async #leases(namespace: string | undefined): Promise<readonly StoredObject[] | undefined> {
    try {
      const { items } = await this.#store.list("Lease", {
        ...(namespace === undefined ? {} : { namespace }),
        labels: { matchLabels: ROLE },
      });
      return items.filter(({ metadata }) => metadata.name.startsWith(LEASE_PREFIX));
    } catch (thrown) {
      if (thrown instanceof ChanceryError && thrown.code === "forbidden") return undefined;
      throw thrown;
    }
  }
}

/** What there is to say when none of them was renewed in time; `now` in milliseconds since the epoch. */
export function problemOf(leases: readonly StoredObject[], now: number): string | undefined {
  const seen = leases.map((lease) => {
    const { holderIdentity = "", renewTime = "", leaseDurationSeconds = 0 } = (lease["spec"] ?? {}) as {
      holderIdentity?: string;
      renewTime?: string;
      leaseDurationSeconds?: number;
    }; // of coordination.k8s.io/v1
    const renewed = Date.parse(renewTime);
    return { renewed, lives: holderIdentity !== "" && renewed + leaseDurationSeconds * 1000 + SKEW_MS >= now };
  });
  if (seen.some(({ lives }) => lives)) return undefined;
  const last = Math.max(...seen.map(({ renewed }) => renewed).filter(Number.isFinite));
  const when = Number.isFinite(last) ? `, the last one showed a sign of life at ${new Date(last).toISOString()}` : "";
  return `no replica of the discovery service lives${when}: what is told may be old, and what is changed is not looked at`;
}
