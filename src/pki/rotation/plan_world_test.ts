import { expect } from "expect";
import { LEAVES, MINUTE, SERVERS, settle, TRUST_DELAY, World } from "../../../tests/pki/rotation_world.ts";
import { forceTime } from "./lifetime.ts";

const DAY_S = 86_400;
const CA_S = 30 * DAY_S;
const LIVES = { ca: CA_S, leaf: 2 * DAY_S, lagMs: 4 * MINUTE };

/** A world that has settled, and whose CA somebody wants changed. */
function rotating(lives = LIVES): World {
  const world = new World(lives);
  settle(world, () => world.check());
  world.forceAt = forceTime(world.ca!, lives.ca);
  world.due = "somebody wants it";
  return world;
}

/** Lets everybody but the replicas act until nothing is left to do now; gives what is waited for. */
function act(world: World): readonly string[] {
  for (let busy = true; busy;) {
    busy = false;
    for (const one of [() => world.step(), ...LEAVES.map((name) => () => world.issue(name))]) {
      while (one()) {
        busy = true;
        world.check();
      }
    }
  }
  const { step } = world.plan();
  return step.do === "wait" ? step.for : [];
}

function readAll(world: World): void {
  for (const name of SERVERS) world.read(name);
}

/** Lets hours pass, in which everybody acts and reads, until a phase; gives the phases on the way. */
function until(phase: string, world: World, each: () => void = () => {}): string[] {
  const phases: string[] = [];
  for (let hours = 0; hours < 24 * 40 && phases.at(-1) !== phase; hours++) {
    for (let turn = 0; turn < 3; turn++) {
      act(world);
      readAll(world);
    }
    each();
    world.check();
    const now = world.status!.phase;
    if (phases.at(-1) !== now) phases.push(now);
    if (now !== phase) world.pass(60 * MINUTE);
  }
  expect(phases.at(-1)).toBe(phase);
  return phases;
}

Deno.test("A3: volumes that arrive late show nothing that is not trusted, for nothing is signed before they have had their time", () => {
  const world = rotating({ ...LIVES, lagMs: TRUST_DELAY - 1 });
  act(world);
  readAll(world);
  const before = world.status!.current;
  world.pass(TRUST_DELAY - 1);
  act(world);
  expect(world.status).toMatchObject({ phase: "Trust", current: before });
  world.pass(1);
  act(world);
  expect(world.status!.current).not.toBe(before);
  world.check();
  settle(world, () => world.check());
});

Deno.test("A3: volumes that arrive later than is waited for would show what is not trusted: this world can fail", () => {
  const world = rotating({ ...LIVES, lagMs: 2 * TRUST_DELAY });
  act(world);
  readAll(world);
  world.pass(TRUST_DELAY);
  expect(() => act(world)).toThrow();
});

Deno.test("A3: a replica that is down holds the change up until it is back and has read, or until the CA allows no longer", () => {
  for (const back of [true, false]) {
    const world = rotating();
    const first = world.ca!.fingerprint;
    world.servers.set("replica-1", []); // it accepts nobody, and refuses nobody
    act(world);
    world.read("replica-0");
    world.pass(TRUST_DELAY);
    expect(act(world)).toEqual(["replica-1"]);
    world.pass(10 * DAY_S * 1000);
    expect([act(world), world.status!.current]).toEqual([["replica-1"], first]);
    if (back) world.read("replica-1");
    else {
      world.pass(world.forceAt - world.now);
      act(world); // the successor has become old meanwhile, and another one is told
      world.read("replica-0");
      world.pass(TRUST_DELAY);
    }
    act(world);
    expect(world.status).toMatchObject({ phase: "Retire", current: world.ca!.fingerprint });
    expect(world.ca!.fingerprint).not.toBe(first);
  }
});

Deno.test("A3: scaled to zero replicas, the change goes on after the delay, and those that come back find the bundle", () => {
  const world = rotating();
  world.servers.clear();
  act(world);
  world.pass(TRUST_DELAY);
  act(world);
  expect(world.status).toMatchObject({ phase: "Retire", current: world.ca!.fingerprint });
  readAll(world);
  world.check();
  settle(world, () => world.check());
});

Deno.test("A3: a second rotation during the first keeps the CAs of both, in whatever phase it comes", () => {
  for (const phase of ["Trust", "Sign", "Retire"]) {
    const world = rotating();
    const first = world.ca!.fingerprint;
    for (let steps = 0; world.status!.phase !== phase && steps < 200; steps++) {
      if (world.step()) world.check();
      else {
        act(world);
        readAll(world);
        world.pass(MINUTE);
      }
    }
    expect(world.status!.phase).toBe(phase);
    if (phase === "Trust") world.next = undefined; // whoever wants another one meanwhile has the successor made again
    world.due = "somebody else wants it, too";
    settle(world, () => world.check());
    const { current, earlier } = world.status!;
    expect(current).toBe(world.ca!.fingerprint);
    expect(earlier.map(({ fingerprint }) => fingerprint)).toContain(first);
    expect(earlier).toHaveLength(phase === "Retire" ? 2 : 1); // one that was overtaken before it signed anything is forgotten
    until("Stable", world);
    expect(world.bundle.at(-1)?.value).toEqual([world.ca!.fingerprint]);
  }
});

Deno.test("A3: a client that does not verify the server, started at whatever moment, is never refused while its certificate lasts", () => {
  const world = rotating();
  const first = world.ca!.fingerprint;
  let started = 0;
  world.restart("careless", { from: "sidecar" });
  expect(world.careless.get("careless")).toMatchObject({ signer: first, trusted: [] });
  // Each stays as it was started, with the certificate of that moment.
  const phases = until("Stable", world, () => world.restart(`careless-${started++}`, { from: "sidecar" }));
  expect(phases).toEqual(["Trust", "Retire", "Stable"]);
  expect(world.ca!.fingerprint).not.toBe(first);
  expect(new Set([...world.careless.values()].map(({ signer }) => signer)).size).toBe(2);
});

Deno.test("A3: a client Secret that somebody made of ours and without ca.crt is not waited for, and never refused", () => {
  const world = rotating();
  const { ca } = world;
  world.foreign.set("foreign", { signer: ca!.fingerprint, notAfter: world.now + 10 * DAY_S * 1000, trusted: [] });
  act(world);
  readAll(world);
  world.pass(TRUST_DELAY);
  expect([act(world), world.status!.phase]).toEqual([[], "Retire"]);
  // It ends later than anything that we have issued: its CA is trusted as long.
  world.pass(9 * DAY_S * 1000);
  act(world);
  expect(world.status!.earlier).toMatchObject([{ fingerprint: ca!.fingerprint }]);
  until("Stable", world);
});

Deno.test("A3: a client Secret that somebody else has made trusts the present CA alone: it is waited for by name, and not for ever", () => {
  for (const copied of [true, false]) {
    const world = rotating();
    const [first, made] = [world.ca!.fingerprint, world.now];
    const notAfter = world.now + (copied ? 20 : 29) * DAY_S * 1000;
    const content = { signer: first, notAfter, trusted: [first] };
    world.foreign.set("foreign", content);
    act(world);
    readAll(world);
    world.pass(TRUST_DELAY);
    expect([act(world), world.status!.phase]).toEqual([["foreign"], "Trust"]);
    if (copied) world.foreign.set("foreign", { ...content, trusted: world.bundle.at(-1)!.value });
    expect(until("Stable", world)).toEqual([...(copied ? [] : ["Trust"]), "Retire", "Stable"]);
    expect(world.status!.current).not.toBe(first);
    expect(world.foreign.get("foreign")!.signer).toBe(first); // nobody has written it
    expect(world.now - made).toBeLessThan(CA_S * 1000);
  }
});

Deno.test("A3: a client Secret of another CA is not waited for at all, and its CA is never trusted", () => {
  const world = rotating();
  world.foreign.set("foreign", { signer: "stranger", notAfter: world.now + 90 * DAY_S * 1000, trusted: ["stranger"] });
  act(world);
  readAll(world);
  world.pass(TRUST_DELAY);
  expect([act(world), world.status!.phase]).toEqual([[], "Retire"]);
  until("Stable", world);
  expect(world.bundle.flatMap(({ value }) => value)).not.toContain("stranger");
});
