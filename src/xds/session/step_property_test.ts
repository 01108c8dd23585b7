import { expect } from "expect";
import fc from "fast-check";
import type { Snapshot } from "../../snapshot/mod.ts";
import { ModelEnvoy } from "./model/envoy.ts";
import { type Body, bodyOf, CDS, EDS, LDS, RDS, type World, worldSnapshot } from "./model/world.ts";
import type { Send } from "./send.ts";
import { DEFAULT_POLICY, newSession, type SessionState } from "./state.ts";
import { type SessionEvent, step } from "./step.ts";

type Action =
  | { readonly kind: "snapshot"; readonly world: World }
  | { readonly kind: "to client" }
  | { readonly kind: "to server" }
  | { readonly kind: "time"; readonly ms: number }
  | { readonly kind: "reconnect" };

/** One stream between the session and the model Envoy, with everything that was sent. */
class Run {
  state: SessionState;
  readonly envoy: ModelEnvoy;
  now = 1_000;
  wakeAt: number | undefined;
  serial = 0;
  snapshot: Snapshot | undefined;
  inbox: Send[] = [];
  sent: { send: Send; serial: number }[] = [];
  danglings: string[] = [];

  constructor(readonly protocol: "sotw" | "delta") {
    this.state = newSession(protocol);
    this.envoy = new ModelEnvoy(protocol);
  }

  act(action: Action): void {
    if (action.kind === "snapshot") this.offer(action.world);
    else if (action.kind === "to client") this.toClient();
    else if (action.kind === "to server") this.toServer();
    else if (action.kind === "reconnect") this.reconnect();
    else this.advance(action.ms);
  }

  offer(world: World): void {
    this.snapshot = worldSnapshot(world);
    this.serial++;
    this.#offer();
  }

  #offer(): void {
    if (this.snapshot) {
      this.#step({ kind: "offer", offer: { serial: this.serial, snapshot: this.snapshot, retryRefused: false } });
    }
  }

  toClient(): void {
    const send = this.inbox.shift();
    if (!send) return;
    this.envoy.receive(send);
    this.danglings.push(...this.envoy.dangling());
  }

  toServer(): void {
    const request = this.envoy.outbox.shift();
    if (request) this.#step({ kind: "request", request });
  }

  reconnect(): void {
    this.state = newSession(this.protocol);
    this.inbox = [];
    this.sent = [];
    this.wakeAt = undefined;
    this.envoy.connect();
    this.#offer();
  }

  advance(ms: number): void {
    const end = this.now + ms;
    while (this.wakeAt !== undefined && this.wakeAt <= end) {
      this.now = Math.max(this.now, this.wakeAt);
      this.#step({ kind: "tick" });
    }
    this.now = end;
  }

  /**
   * Delivers everything and lets time pass until nothing moves. With `warm`, clusters never warm for so long that a hold
   * expires, which is when make-before-break gives up by design.
   */
  finish(options: { warm: boolean } = { warm: false }): void {
    for (let i = 0; i < 2_000; i++) {
      if (this.inbox.length > 0) this.toClient();
      else if (this.envoy.outbox.length > 0) this.toServer();
      else if (options.warm && this.envoy.isWarming()) this.envoy.fetchTimeout();
      else if (this.wakeAt !== undefined) this.advance(this.wakeAt - this.now);
      else if (this.envoy.isWarming()) this.envoy.fetchTimeout();
      else return;
    }
    throw new Error("does not come to rest");
  }

  #step(event: SessionEvent): void {
    const { state, sends, wakeAt, failure } = step(this.state, event, this.now);
    expect(failure).toBeUndefined();
    if (wakeAt !== undefined && event.kind === "tick") expect(wakeAt).toBeGreaterThan(this.now);
    this.state = state;
    this.wakeAt = wakeAt;
    for (const send of sends) this.#check(send);
    this.inbox.push(...sends);
    const again = step(state, { kind: "tick" }, this.now);
    expect(again.sends).toEqual([]); // a second look sends nothing
  }

  #check(send: Send): void {
    const nonces = this.sent.map((earlier) => earlier.send.nonce);
    expect(nonces).not.toContain(send.nonce);
    this.sent.push({ send, serial: this.serial });
    const type = this.state.types.get(send.typeUrl)!;
    const pushes = type.inFlight.filter((response) => response.push);
    expect(pushes.length).toBeLessThanOrEqual(DEFAULT_POLICY.maxInFlight);
    for (const [i, push] of pushes.entries()) {
      const before = pushes[i - 1];
      if (before) expect(push.sentAt - before.sentAt).toBeGreaterThanOrEqual(DEFAULT_POLICY.supersedeAfterMs);
    }
    if (!type.subscription.wildcard) {
      for (const name of namesIn(send)) expect(type.subscription.names.has(name)).toBe(true); // I9
    }
  }
}

function namesIn(send: Send): string[] {
  if (send.payload.protocol === "delta") return [...send.payload.difference.changed.keys()];
  return [...send.payload.view.entries.values()].flatMap((entry) => entry.resource?.name ?? []);
}

/** Consistent worlds of few names, so that changes meet one another. */
function worlds(withBad: boolean): fc.Arbitrary<World> {
  const content = fc.integer({ min: 0, max: 2 });
  const bad = withBad ? fc.boolean().filter((b) => b).map(() => true) : fc.constant(false);
  const maybeBad = withBad
    ? fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: bad })
    : bad;
  const cluster = (name: string) =>
    fc.record({ content, eds: fc.boolean(), bad: maybeBad }).map((rest): Body => ({ name, ...rest }));
  const someClusters = fc.subarray(["a", "b", "c", "d"], { minLength: 1 }).chain((names) =>
    fc.tuple(...names.map(cluster))
  );
  return someClusters.chain((clusters) => {
    const target = fc.constantFrom(...clusters.map((c) => c.name));
    const route = (name: string) => fc.record({ content, cluster: target }).map((rest): Body => ({ name, ...rest }));
    const routes = fc.subarray(["r", "s"]).chain((names) => fc.tuple(...names.map(route)));
    return routes.chain((routes) => {
      const to = fc.oneof(
        target.map((cluster) => ({ cluster })),
        ...routes.map((r) => fc.constant({ route: r.name })),
      );
      const listener = (name: string) =>
        fc.tuple(content, to, maybeBad).map(([content, to, bad]): Body => ({ name, content, ...to, bad }));
      const listeners = fc.subarray(["l", "m", "n"]).chain((names) => fc.tuple(...names.map(listener)));
      return listeners.map((listeners) => ({ clusters, routes, listeners }));
    });
  });
}

function actions(withBad: boolean, withReconnect: boolean): fc.Arbitrary<Action[]> {
  const deliver: fc.Arbitrary<Action> = fc.constantFrom({ kind: "to client" } as const, { kind: "to server" } as const);
  const time = fc.integer({ min: 1, max: 3_000 }).map((ms): Action => ({ kind: "time", ms }));
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: worlds(withBad).map((world): Action => ({ kind: "snapshot", world })) },
      { weight: 10, arbitrary: deliver },
      { weight: 2, arbitrary: time },
      ...(withReconnect ? [{ weight: 1, arbitrary: fc.constant<Action>({ kind: "reconnect" }) }] : []),
    ),
    { minLength: 1, maxLength: 60 },
  );
}

const PROTOCOLS = ["sotw", "delta"] as const;
const RUNS = { numRuns: Number(Deno.env.get("FC_RUNS") ?? 400) };

function namesOfType(run: Run, typeUrl: string): string[] {
  return [...run.snapshot?.types.get(typeUrl)?.resources.keys() ?? []];
}

function contents(run: Run, typeUrl: string): Record<string, Body> {
  const resources = run.snapshot?.types.get(typeUrl)?.resources ?? new Map();
  return Object.fromEntries([...resources.values()].map((resource) => [resource.name, bodyOf(resource)]));
}

for (const protocol of PROTOCOLS) {
  Deno.test(`step() leads a ${protocol} client to the newest snapshot, in any order of events`, () => {
    fc.assert(
      fc.property(actions(false, true), worlds(false), (list, last) => {
        const run = new Run(protocol);
        for (const action of list) run.act(action);
        run.offer(last);
        run.finish();
        const clusters = Object.fromEntries([...run.envoy.clusters].map(([name, { body }]) => [name, body]));
        expect(clusters).toEqual(contents(run, CDS));
        expect(Object.fromEntries(run.envoy.listeners)).toEqual(contents(run, LDS));
        for (const name of run.envoy.names(RDS)) expect(run.envoy.routes.get(name)).toEqual(contents(run, RDS)[name]);
        expect(run.envoy.isWarming()).toBe(false);
        expect(new Set(run.envoy.names(EDS))).toEqual(new Set(namesOfType(run, EDS)));
      }),
      RUNS,
    );
  });

  Deno.test(`I5: step() never repeats a response that a ${protocol} client refused for the same snapshot`, () => {
    fc.assert(
      fc.property(actions(true, false), (list) => {
        const run = new Run(protocol);
        for (const action of list) run.act(action);
        run.finish();
        for (const refusal of run.envoy.refusals) {
          const at = run.sent.findIndex(({ send }) => send.nonce === refusal.nonce);
          const before = run.sent[at]!;
          const refused = JSON.stringify(badIn(before.send));
          const again = run.sent.slice(at + 1).filter(({ send, serial }) =>
            serial === before.serial && send.typeUrl === refusal.typeUrl && JSON.stringify(badIn(send)) === refused
          );
          expect(again.map(({ send }) => send.nonce)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  Deno.test(`step() heals a ${protocol} client with the next good snapshot after any refusals`, () => {
    fc.assert(
      fc.property(actions(true, true), worlds(false), (list, last) => {
        const run = new Run(protocol);
        for (const action of list) run.act(action);
        run.finish();
        run.offer(last);
        run.finish();
        const clusters = Object.fromEntries([...run.envoy.clusters].map(([name, { body }]) => [name, body]));
        expect(clusters).toEqual(contents(run, CDS));
        expect(Object.fromEntries(run.envoy.listeners)).toEqual(contents(run, LDS));
      }),
      RUNS,
    );
  });

  Deno.test(`I7: step() never leaves a ${protocol} client with a dangling reference`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(worlds(false), fc.array(fc.boolean(), { maxLength: 12 })), { maxLength: 8 }),
        (list) => {
          const run = new Run(protocol);
          for (const [world, deliveries] of list) {
            run.offer(world);
            for (const toClient of deliveries) run.act({ kind: toClient ? "to client" : "to server" });
          }
          run.finish({ warm: true });
          expect(run.danglings).toEqual([]);
        },
      ),
      RUNS,
    );
  });
}

function badIn(send: Send): unknown[] {
  const entries = send.payload.protocol === "delta"
    ? [...send.payload.difference.changed.values()]
    : [...send.payload.view.entries.values()];
  return entries.flatMap((entry) => entry.resource && bodyOf(entry.resource).bad ? [bodyOf(entry.resource)] : []);
}
