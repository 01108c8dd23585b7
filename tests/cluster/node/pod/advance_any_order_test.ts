import { expect } from "expect";
import fc from "fast-check";
import { advance, type PodAction, type Rules } from "./advance.ts";
import { applyEvent, type PodEvent } from "./event.ts";
import type { PodSpec, RestartPolicy } from "./pod.ts";
import { newRecord, type PodRecord } from "./record.ts";

const HOOK = { sleep: { seconds: 1 } };
const PROBE = { tcpSocket: { port: 1 } };
const LIFECYCLE = { preStop: HOOK, postStart: HOOK };
const SPEC: PodSpec = {
  initContainers: [
    { name: "init", image: "i" },
    { name: "sidecar", image: "i", restartPolicy: "Always", startupProbe: PROBE, lifecycle: LIFECYCLE },
  ],
  containers: [{ name: "one", image: "i", lifecycle: LIFECYCLE }, { name: "two", image: "i", readinessProbe: PROBE }],
};

/** The outside world: what it was told to do, and which processes there really are. */
class World {
  now = 0;
  record: PodRecord = newRecord(SPEC);
  readonly #rules: Rules;
  readonly #orders: PodAction[] = [];
  readonly #processes = new Set<string>();

  constructor(restartPolicy: RestartPolicy) {
    this.#rules = { restartPolicy, graceMs: 30_000, restartDelay: { baseMs: 1000, maxMs: 8000 } };
    this.#decide();
  }

  get idle(): boolean {
    return this.#orders.length === 0;
  }

  happens(event: PodEvent): void {
    this.record = applyEvent(this.record, event, 8000);
    this.#decide();
  }

  /** Time passes: what is to be asked again is. */
  waits(ms: number): void {
    this.now += ms;
    this.#decide();
  }

  /** Does the oldest thing that was ordered; `well` says whether it works out. */
  obeys(well: boolean): void {
    const order = this.#orders.shift();
    const retryAt = this.now + 500;
    switch (order?.do) {
      case "make-sandbox":
        return this.happens(well ? { kind: "sandbox-ready" } : { kind: "sandbox-failed", message: "", retryAt });
      case "remove-sandbox":
        expect([...this.#processes]).toEqual([]);
        return this.happens({ kind: "sandbox-gone" });
      case "start": {
        const { container } = order;
        // Nothing is started twice.
        expect(this.#processes.has(container)).toBe(false);
        if (!well) return this.happens({ kind: "start-failed", container, reason: "", message: "", retryAt });
        this.#processes.add(container);
        return this.happens({ kind: "running", container, id: "", at: this.now });
      }
      case "run-hook":
        return this.happens({ kind: "pre-stop-done", container: order.container });
      case "signal":
        if (well || order.signal === "SIGKILL") this.exits(order.container, 143);
    }
  }

  exits(container: string, exitCode: number): void {
    if (!this.#processes.delete(container)) return;
    this.happens({ kind: "exited", container, end: { exitCode, reason: "", finishedAt: this.now } });
  }

  ifRunning(container: string, event: PodEvent): void {
    if (this.#processes.has(container)) this.happens(event);
  }

  #decide(): void {
    const { record, actions } = advance(this.record, this.#rules, this.now);
    this.record = record;
    this.#orders.push(...actions);
  }
}

const NAMES = ["init", "sidecar", "one", "two"] as const;
const step = fc.record({ what: fc.nat(6), who: fc.constantFrom(...NAMES), well: fc.boolean(), ms: fc.nat(5000) });

Deno.test("advance() ends a Pod that is told to end, whatever happened before, and never starts a process twice", () => {
  const policies = fc.constantFrom<RestartPolicy>("Always", "OnFailure", "Never");
  fc.assert(
    fc.property(policies, fc.array(step, { maxLength: 60 }), (policy, steps) => {
      const world = new World(policy);
      for (const { what, who: container, well, ms } of steps) {
        const at = world.now;
        if (what === 0) world.waits(ms);
        else if (what === 1) world.exits(container, well ? 0 : 1);
        else if (what === 2) world.ifRunning(container, { kind: "unhealthy", container, at, graceMs: ms });
        else if (what === 3) world.ifRunning(container, { kind: "probed", container, probe: "startup", passed: well });
        else if (what === 4) world.ifRunning(container, { kind: "post-start-done", container });
        else world.obeys(well);
      }
      world.happens({ kind: "end", at: world.now, graceMs: 10_000 });
      // Nobody listens to SIGTERM any more, and all other orders are carried out.
      for (let round = 0; round < 200 && world.record.sandbox !== "gone"; round++) {
        if (world.idle) world.waits(1000);
        else world.obeys(false);
      }
      expect(world.record.sandbox).toBe("gone");
    }),
    { numRuns: 500 },
  );
});
