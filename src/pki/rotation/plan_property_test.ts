import { expect } from "expect";
import * as fc from "fast-check";
import { LEAVES, MINUTE, SERVERS, settle, TRUST_DELAY, World } from "../../../tests/pki/rotation_world.ts";

const DAY = 1440 * MINUTE;

type Command = (world: World) => void;

/** A change of the CA that gets so many steps far after everybody was told. */
function rotate(steps: number): Command {
  return (world) => {
    world.due = "somebody wants it";
    for (let turn = 0; turn < 3; turn++) {
      while (world.step());
      for (const name of LEAVES) while (world.issue(name));
      for (const name of SERVERS) world.read(name);
    }
    world.pass(TRUST_DELAY);
    for (let step = 0; step < steps; step++) world.step();
  };
}

function copy(name: string): Command {
  return (world) => {
    const content = world.leaves.get(name)?.at(-1)?.value;
    if (content) world.copies.push(content);
  };
}

const command: fc.Arbitrary<readonly [string, Command]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(["step", (world: World) => void world.step()] as const) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(...LEAVES).map((name) =>
      [`issue ${name}`, (world: World) => void world.issue(name)] as const
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...SERVERS).map((name) =>
      [`read ${name}`, (world: World) => void world.read(name)] as const
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(1000, MINUTE, TRUST_DELAY, 60 * MINUTE, DAY, 5 * DAY).map((ms) =>
      [`pass ${ms} ms`, (world: World) => world.pass(ms)] as const
    ),
  },
  { weight: 1, arbitrary: fc.nat(6).map((steps) => [`rotate, ${steps} steps`, rotate(steps)] as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly [string, Command]>(
      ["copy the server's", copy("server")],
      ["copy the sidecar's", copy("sidecar")],
      ["copy the edge's and delete it", (world) => {
        copy("edge")(world);
        world.leaves.delete("edge");
      }],
      ["want another CA", (world) => void (world.due = "somebody wants it")],
      ["want it no more", (world) => void (world.due = undefined)],
      ["lose the CA", (world) => void (world.ca = undefined)],
      ["lose the next CA", (world) => void (world.next = undefined)],
      ["lose the bundle", (world) => void (world.bundleExists = false)],
      ["lose the status", (world) => void (world.status = undefined)],
      ["set the clock back", (world) => void (world.now -= 30_000)],
      ["lose a replica", (world) => void world.servers.delete("replica-1")],
    ),
  },
);

Deno.test("A3: whatever happens when, everybody trusts what everybody else shows", () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 150 }), (commands) => {
      const world = new World();
      settle(world, () => world.check());
      for (const [, act] of commands) {
        act(world);
        world.check();
      }
      settle(world, () => world.check());
    }),
    { numRuns: Number(Deno.env.get("ROTATION_RUNS") ?? 200) },
  );
});

Deno.test("A3: after anything it settles, with one CA once the earlier ones have ended, and then writes nothing", () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 150 }), (commands) => {
      const world = new World();
      for (const [, act] of commands) act(world);
      world.due = undefined;
      settle(world, () => {});
      for (let days = 0; days < 40 && world.status?.phase !== "Stable"; days++) {
        world.pass(DAY);
        settle(world, () => {});
      }
      expect(world.status).toMatchObject({ phase: "Stable", earlier: [], current: world.ca?.fingerprint });
      expect(world.bundle.at(-1)?.value).toEqual([world.ca?.fingerprint]);
      expect(world.next).toBeUndefined();
      expect([world.step(), ...LEAVES.map((name) => world.issue(name))]).toEqual([false, false, false, false]);
    }),
    { numRuns: 100 },
  );
});

const SHORT: readonly { readonly name: string; readonly ca: number; readonly leaf: number }[] = [
  { name: "a CA that lives as long as four times the delay", ca: 1200, leaf: 600 },
  { name: "a CA that lives shorter than the delay", ca: 200, leaf: 100 },
  { name: "certificates that live shorter than the delay", ca: 3600, leaf: 100 },
  { name: "certificates that would outlive their CA", ca: 1200, leaf: 86_400 },
  { name: "a CA that lives as long as the delay, and its certificates as long", ca: 300, leaf: 300 },
];

for (const { name, ca, leaf } of SHORT) {
  Deno.test(`A3: ${name} is followed by another one in time, and nobody shows what others do not trust`, () => {
    const stepMs = Math.min(ca, leaf) * 10;
    const world = new World({ ca, leaf, lagMs: Math.min(TRUST_DELAY, ca * 250) * 0.8 });
    const act = () => {
      for (let busy = true; busy;) {
        busy = false;
        const acts = [() => world.step(), ...LEAVES.map((one) => () => world.issue(one))];
        for (const one of [...acts, ...SERVERS.map((one) => () => world.read(one))]) {
          while (one()) {
            busy = true;
            world.check();
          }
        }
      }
    };
    act();
    const roots = new Set<string | undefined>();
    for (let passed = 0; passed < Math.max(ca * 4, leaf * 4) * 1000 && roots.size < 5; passed += stepMs) {
      world.pass(stepMs);
      expect({ passed, ended: world.ended() }).toEqual({ passed, ended: [] });
      act();
      roots.add(world.ca?.fingerprint);
    }
    expect(roots.size).toBeGreaterThan(3);
  });
}
