import { expect } from "expect";
import { ChanceryError, type Clock, ManualClock } from "../../../base/mod.ts";
import { createLogger } from "../../../telemetry/mod.ts";
import { type Lease, leaseBody, type LeaseContent, parseLease } from "./lease.ts";
import { LeaderElection } from "./leader_election.ts";

/** One register with the compare-and-swap that the API server promises; the real one is asked in `tests/cluster/leases_test.ts`. */
class Register {
  lease: Lease | undefined;
  #version = 0;
  down = false;

  get(): Promise<Lease | undefined> {
    return this.#answer(() => this.lease);
  }

  create(name: string, content: LeaseContent): Promise<Lease> {
    return this.#answer(() => {
      if (this.lease) throw new ChanceryError("conflict", "exists");
      return this.#store(name, content);
    });
  }

  replace(before: Lease, content: LeaseContent): Promise<Lease> {
    return this.#answer(() => {
      if (this.lease?.resourceVersion !== before.resourceVersion) throw new ChanceryError("conflict", "changed");
      return this.#store(before.name, content);
    });
  }

  #store(name: string, content: LeaseContent): Lease {
    const { metadata, ...body } = leaseBody(content, { name, namespace: "n" });
    const meta = { ...metadata as object, uid: "u", resourceVersion: `${++this.#version}` };
    return this.lease = parseLease({ ...body, metadata: meta })!; // made by leaseBody() just now
  }

  #answer<T>(make: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.down) throw new ChanceryError("unavailable", "no answer");
      resolve(make());
    });
  }
}

/** Candidates over one register, in one time, each with a wall clock of its own. */
class Scene {
  readonly clock = new ManualClock();
  readonly register = new Register();
  readonly changes: string[] = [];

  candidate(name: string, options: { skewMs?: number; bootId?: string } = {}): LeaderElection {
    const { skewMs = 0, bootId = `boot-${name}` } = options;
    const clock: Clock = {
      now: () => this.clock.now() + skewMs,
      monotonic: () => this.clock.monotonic(),
      after: (ms, callback) => this.clock.after(ms, callback),
    };
    return new LeaderElection({
      client: this.register,
      name: "leader",
      labels: {},
      self: { name, bootId },
      times: { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 },
      clock,
      random: () => 0.5,
      log: createLogger({ now: () => 0, write() {} }),
      onChange: (leading) => this.changes.push(`${name} ${leading ? "leads" : "does not"}`),
    });
  }

  /** Lets time go on in small steps, each with room for what it starts. */
  async pass(ms: number, watch: () => void = () => {}): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      this.clock.advance(100);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      watch();
    }
  }
}

Deno.test("LeaderElection has one leader at a time, with clocks hours apart, when the leader vanishes", async () => {
  const scene = new Scene();
  const early = scene.candidate("early", { skewMs: -5 * 3_600_000 });
  const late = scene.candidate("late", { skewMs: 5 * 3_600_000 });
  await early.start();
  await late.start();
  expect([early.leading(), late.leading(), late.leader()]).toEqual([true, false, "early"]);
  await scene.pass(60_000);
  expect([early.leading(), late.leading()]).toEqual([true, false]);

  // Its requests get no answer: it must cease before the other begins.
  let cutOff = true;
  const replace = scene.register.replace.bind(scene.register);
  scene.register.replace = (before, content) => {
    if (!cutOff || !content.holder.startsWith("early")) return replace(before, content);
    return Promise.reject(new ChanceryError("unavailable", "cut off"));
  };
  await scene.pass(40_000, () => expect(early.leading() && late.leading()).toBe(false));
  expect([early.leading(), late.leading()]).toEqual([false, true]);
  cutOff = false;
  await scene.pass(10_000);
  expect([early.leading(), late.leading(), early.leader()]).toEqual([false, true, "late"]);
  expect(scene.changes).toEqual(["early leads", "early does not", "late leads"]);
  await Promise.all([early.stop(), late.stop()]);
});

Deno.test("LeaderElection gives the Lease back when it stops, and another leads at its next look", async () => {
  const scene = new Scene();
  const [one, two] = [scene.candidate("one"), scene.candidate("two")];
  await one.start();
  await two.start();
  await one.stop();
  expect([one.leading(), scene.register.lease?.holder]).toEqual([false, ""]);
  await scene.pass(2_400);
  expect(two.leading()).toBe(true);
  await two.stop();
});

Deno.test("LeaderElection does not lead after it stood still, until it has renewed", async () => {
  const scene = new Scene();
  const one = scene.candidate("one");
  await one.start();
  scene.register.down = true;
  scene.clock.advance(10_000);
  expect(one.leading()).toBe(false);
  await scene.pass(5_000);
  expect(one.leading()).toBe(false);
  scene.register.down = false;
  await scene.pass(3_000);
  expect(one.leading()).toBe(true);
  expect(scene.changes).toEqual(["one leads", "one does not", "one leads"]);
  await one.stop();
});

Deno.test("LeaderElection goes on when somebody edits its Lease, or removes it", async () => {
  const scene = new Scene();
  const one = scene.candidate("one");
  await one.start();
  scene.register.lease = { ...scene.register.lease!, resourceVersion: "edited", labels: { by: "hand" } };
  await scene.pass(3_000);
  expect(one.leading()).toBe(true);
  scene.register.lease = undefined;
  await scene.pass(3_000);
  expect(one.leading()).toBe(true);
  expect(scene.changes).toEqual(["one leads"]);
  await one.stop();
});

Deno.test("LeaderElection takes over at once from an earlier life of the same replica", async () => {
  const scene = new Scene();
  const before = scene.candidate("one", { bootId: "first" });
  await before.start();
  const after = scene.candidate("one", { bootId: "second" });
  await after.start();
  expect(after.leading()).toBe(true);
  await scene.pass(3_000);
  expect([before.leading(), after.leading()]).toEqual([false, true]);
  await Promise.all([before.stop(), after.stop()]);
});

Deno.test("LeaderElection tells when its Lease can never be written, and not when somebody was faster once", async () => {
  const scene = new Scene();
  const create = scene.register.create.bind(scene.register);
  let refused = 0;
  scene.register.create = () => {
    refused++;
    return Promise.reject(new ChanceryError("not-found", `namespaces "nowhere" not found`));
  };
  const one = scene.candidate("one");
  await one.start();
  expect([one.problem, refused]).toEqual([undefined, 2]);
  await scene.pass(6_000);
  expect([one.problem, one.leading()]).toEqual([`namespaces "nowhere" not found`, false]);
  scene.register.create = create;
  await scene.pass(3_000);
  expect([one.problem, one.leading()]).toEqual([undefined, true]);
  await one.stop();
});
