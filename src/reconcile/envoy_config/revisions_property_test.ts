import { expect } from "expect";
import fc from "fast-check";
import { pin, retry } from "./actions.ts";
import { taintOf } from "./revision.ts";
import { CONFIG, Scene, spec } from "./testing/scene.ts";
import type { Answer } from "./testing/streams.ts";

/** What a spec meets: everybody takes it, everybody refuses it, or one of several is odd. */
const TASTES = {
  ...{ good: "accepts", fine: "accepts", bad: "refuses", worse: "refuses", odd: "one-refuses" } as const,
  ...{ g1: "accepts", g2: "accepts", g3: "accepts", g4: "accepts", g5: "accepts", g6: "accepts" } as const,
  ...{ b1: "refuses", b2: "refuses", b3: "refuses" } as const,
};
type SpecName = keyof typeof TASTES;

type Command =
  | { readonly kind: "apply"; readonly name: SpecName }
  | { readonly kind: "connect"; readonly count: number }
  | { readonly kind: "answer"; readonly share: number }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "restart" }
  | { readonly kind: "remove" }
  | { readonly kind: "retry" }
  | { readonly kind: "pin"; readonly name: SpecName }
  | { readonly kind: "crash"; readonly atWrite: number };

const names = fc.constantFrom(...Object.keys(TASTES) as SpecName[]); // more than are kept
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("apply" as const), name: names }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("connect" as const), count: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("answer" as const), share: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(1, 3, 12, 70) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "remove" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "retry" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pin" as const), name: names }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("crash" as const), atWrite: fc.integer({ min: 0, max: 8 }) }) },
);

/** One run: does what it is told, and checks after each step what has to hold at every moment. */
class Run {
  readonly #scene: Scene;
  readonly #names = new Map<string, SpecName>();
  /** Versions that all who were asked have refused, by the journal of the test. */
  readonly #refused = new Set<string>();
  #connected = 0;
  #said: Answer[] = [];
  #saidOf: string | undefined;
  #everAcknowledged: string | undefined;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async step(command: Command): Promise<void> {
    const scene = this.#scene;
    const before = scene.serving;
    await this.#do(command);
    if (scene.crashed) {
      await scene.start(); // kill -9 and a start
      this.#connected = 0;
      await scene.settle();
    }
    await this.#learnNames();
    await this.#check(command, before);
  }

  /** Everybody answers until nothing changes any more: the last word is a version that is taken, or nothing is left. */
  async converge(): Promise<void> {
    const scene = this.#scene;
    if (!await scene.config()) return;
    scene.crashAt = Infinity;
    await this.step({ kind: "connect", count: 3 });
    for (let round = 0; round < 12; round++) {
      await this.step({ kind: "answer", share: 4 });
      await this.step({ kind: "wait", seconds: 70 });
      await scene.wait(600_000);
    }
    const status = await scene.status();
    const served = this.#nameOf(scene.serving);
    if (status.cacheState !== "RollbackFailed" && served !== undefined) {
      expect([served, TASTES[served]]).not.toContain("refuses");
    }
    const writes = scene.writes;
    for (let look = 0; look < 3; look++) {
      scene.controller?.progressed("edge");
      await scene.wait(1000);
    }
    expect({ what: "I19: a second look writes nothing", writes: scene.writes }).toMatchObject({ writes });
  }

  async #do(command: Command): Promise<void> {
    const scene = this.#scene;
    const to = { key: CONFIG, now: scene.clock.now() };
    switch (command.kind) {
      case "apply":
        return await scene.apply(spec(command.name));
      case "connect":
        this.#connected = command.count;
        this.#hear(Array.from({ length: command.count }, (_, index) => this.#said[index] ?? "silent"));
        return await scene.connect(command.count);
      case "answer":
        return await this.#answer(command.share);
      case "wait":
        return await scene.wait(command.seconds * 1000);
      case "restart":
        this.#connected = 0;
        return await scene.start();
      case "remove":
        this.#refused.clear();
        this.#everAcknowledged = undefined;
        return await scene.remove();
      case "retry":
        if (await scene.config()) await retry(scene.store, to);
        return await scene.settle();
      case "pin": {
        const version = [...this.#names].find(([, name]) => name === command.name)?.[0];
        const known = (await scene.revisions()).some((revision) => revision.version === version);
        if (version !== undefined && known && await scene.config()) await pin(scene.store, { ...to, version });
        return await scene.settle();
      }
      case "crash":
        scene.crashAt = command.atWrite;
    }
  }

  async #learnNames(): Promise<void> {
    const { items } = await this.#scene.store.list("EnvoyConfigRevision");
    for (const { spec } of items) {
      const { version, resources } = spec as { version: string; resources: { value: { name: SpecName } }[] }; // as we wrote it
      this.#names.set(version, resources[0]!.value.name);
    }
  }

  /** Those that are asked say what they think of what is served; the others are silent. */
  async #answer(share: number): Promise<void> {
    const name = this.#nameOf(this.#scene.serving);
    if (name === undefined || this.#connected === 0) return;
    const taste = TASTES[name];
    const answers = Array.from({ length: this.#connected }, (_, index): Answer => {
      if (index >= share) return "silent";
      return taste === "one-refuses" ? index === 0 ? "refuses" : "accepts" : taste;
    });
    this.#saidOf = this.#scene.serving;
    this.#hear(answers);
    await this.#scene.answer(answers);
  }

  /** Notes in the journal when all that have said anything refuse. */
  #hear(answers: Answer[]): void {
    if (this.#saidOf !== this.#scene.serving) return;
    this.#said = answers;
    const said = answers.filter((answer) => answer !== "silent");
    if (said.length > 0 && said.every((answer) => answer === "refuses")) {
      this.#refused.add(this.#scene.serving!.replace(/-r\d+$/, ""));
    }
  }

  async #check(command: Command, before: string | undefined): Promise<void> {
    const scene = this.#scene;
    const config = await scene.config();
    const revisions = await scene.revisions();
    const status = await scene.status();
    const at = JSON.stringify(command);
    if (!config) {
      expect({ at, revisions: revisions.length, serving: scene.serving }).toEqual({ at, revisions: 0 });
      return;
    }
    // I10: once something was served, something is, also after a restart.
    if (before !== undefined) expect({ at, serves: scene.serving !== undefined }).toEqual({ at, serves: true });
    // I2: one revision per version; I13: not more than ten.
    const versions = revisions.map(({ version }) => version);
    expect({ at, doubled: versions.length - new Set(versions).size }).toEqual({ at, doubled: 0 });
    expect(versions.length).toBeLessThanOrEqual(10);
    // I1: what is wanted is a revision; I13: what is served and what was accepted by all last are never deleted.
    if (status.desiredVersion !== undefined) expect(versions).toContain(status.desiredVersion);
    if (status.acknowledgedVersion !== undefined) expect(versions).toContain(status.acknowledgedVersion);
    const served = scene.serving?.replace(/-r\d+$/, "");
    expect(versions).toContain(served);
    // W26: the config says what is served, and exactly that revision is marked.
    expect({ at, publication: status.publication }).toEqual({ at, publication: scene.serving });
    const marked = revisions.filter((revision) => revision.status.published).map(({ version }) => version);
    expect({ at, marked }).toEqual({ at, marked: [served] });
    // I12: no taint without proof.
    for (const { version, object } of revisions) {
      if (taintOf(object)) {
        expect({ at, version, refused: this.#refused.has(version) }).toMatchObject({ refused: true });
      }
    }
    if (this.#everAcknowledged !== undefined) expect(status.acknowledgedVersion).toBeDefined();
    this.#everAcknowledged = status.acknowledgedVersion;
  }

  #nameOf(publication: string | undefined): SpecName | undefined {
    return this.#names.get(publication?.replace(/-r\d+$/, "") ?? "");
  }
}

Deno.test("W26, I1, I2, I10, I12, I13, I19: whatever is applied, said, restarted or killed between two writes", async () => {
  const property = fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
    await using scene = new Scene();
    await scene.start();
    const run = new Run(scene);
    await run.step({ kind: "apply", name: "good" });
    for (const command of commands) await run.step(command);
    await run.converge();
  });
  await fc.assert(property, { numRuns: 150 });
});
