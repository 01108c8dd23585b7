import { expect } from "expect";
import fc from "fast-check";
import type { StoredObject } from "../../store/mod.ts";
import { pin, retry } from "./actions.ts";
import { isConflict } from "../engine/writing.ts";
import { revisionStatusOf } from "./revision.ts";
import { Fleet } from "./testing/fleet.ts";
import type { ReplicaViewOptions, Write } from "./testing/replica_view.ts";
import { CONFIG, spec } from "./testing/scene.ts";
import type { Answer } from "./testing/streams.ts";

/** What a spec meets: everybody takes it, everybody refuses it, or the first Envoy of each replica is odd. */
const TASTES = {
  ...{
    good: "accepts",
    fine: "accepts",
    nice: "accepts",
    bad: "refuses",
    worse: "refuses",
    odd: "one-refuses",
  } as const,
  ...{ g1: "accepts", g2: "accepts", g3: "accepts", g4: "accepts", b1: "refuses", b2: "refuses" } as const,
  ...{ g5: "accepts", g6: "accepts", g7: "accepts", g8: "accepts", g9: "accepts" } as const,
};
type SpecName = keyof typeof TASTES;
const REPLICAS = ["a", "b", "c"] as const;
type Replica = typeof REPLICAS[number];

type Command =
  | { readonly kind: "apply" | "pin"; readonly name: SpecName }
  /** More than are kept. */
  | { readonly kind: "apply-many"; readonly names: readonly SpecName[] }
  /** A write of the leader for a spec takes long, and another one leads meanwhile. */
  | { readonly kind: "overtake"; readonly name: SpecName; readonly after: number; readonly by: Replica | undefined }
  | { readonly kind: "connect"; readonly at: Replica; readonly count: number }
  | { readonly kind: "answer"; readonly at: Replica; readonly share: number }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "lead"; readonly at: Replica | undefined }
  | { readonly kind: "stall"; readonly at: Replica; readonly after: number }
  | { readonly kind: "kill" | "start" | "hold" | "release" | "relist" | "thaw"; readonly at: Replica }
  | { readonly kind: "expire" | "remove" | "retry" };

const names = fc.constantFrom(...Object.keys(TASTES) as SpecName[]);
const at = fc.constantFrom(...REPLICAS);

function of<K extends Command["kind"], F extends Record<string, unknown>>(
  weight: number,
  kind: K,
  fields: { [N in keyof F]: fc.Arbitrary<F[N]> },
) {
  return { weight, arbitrary: fc.record({ kind: fc.constant(kind), ...fields }) as unknown as fc.Arbitrary<Command> };
}

const command: fc.Arbitrary<Command> = fc.oneof(
  of(5, "apply", { name: names }),
  of(1, "apply-many", { names: fc.subarray(Object.keys(TASTES) as SpecName[], { minLength: 8 }) }),
  of(3, "overtake", { name: names, after: fc.integer({ min: 0, max: 4 }), by: fc.option(at, { nil: undefined }) }),
  of(3, "connect", { at, count: fc.integer({ min: 0, max: 3 }) }),
  of(6, "answer", { at, share: fc.integer({ min: 1, max: 3 }) }),
  of(3, "wait", { seconds: fc.constantFrom(1, 3, 12, 70) }),
  of(3, "lead", { at: fc.option(at, { nil: undefined, freq: 6 }) }),
  of(3, "stall", { at, after: fc.integer({ min: 0, max: 6 }) }),
  of(2, "thaw", { at }),
  of(2, "hold", { at }),
  of(2, "release", { at }),
  of(1, "relist", { at }),
  of(1, "kill", { at }),
  of(2, "start", { at }),
  of(2, "expire", {}),
  of(1, "remove", {}),
  of(1, "retry", {}),
  of(1, "pin", { name: names }),
);

/** One run: does what it is told, and checks at each write and after each step what has to hold at every moment. */
class Run {
  readonly #fleet: Fleet;
  readonly #names = new Map<string, SpecName>();
  readonly #faults: string[] = [];

  constructor() {
    this.#fleet = new Fleet((write, change) => this.#judge(write, change));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fleet[Symbol.asyncDispose]();
  }

  async begin(): Promise<void> {
    for (const name of REPLICAS) await this.#fleet.start(name);
    await this.#fleet.lead("a");
    await this.step({ kind: "apply", name: "good" });
  }

  async step(command: Command): Promise<void> {
    const fleet = this.#fleet;
    const before = new Map([...fleet.members].map(([name, { bootId, streams }]) => [name + bootId, streams.serving]));
    await this.#do(command);
    const at = JSON.stringify(command);
    expect({ at, faults: this.#faults }).toEqual({ at, faults: [] });
    const revisions = await fleet.revisions();
    for (const { version, object } of revisions) {
      const { resources } = object["spec"] as { resources: { value: { name: SpecName } }[] }; // as we wrote it
      this.#names.set(version, resources[0]!.value.name);
    }
    const config = await fleet.config();
    if (!config) return;
    // I2: one revision per version. I13: what is published and what was accepted by all last are never deleted.
    const versions = revisions.map(({ version }) => version);
    expect({ at, doubled: versions.length - new Set(versions).size }).toEqual({ at, doubled: 0 });
    const { publication, acknowledgedVersion } = await fleet.status();
    if (publication !== undefined) expect({ at, versions }).toMatchObject({ versions: has(versionOf(publication)) });
    if (acknowledgedVersion !== undefined) {
      expect({ at, versions }).toMatchObject({ versions: has(acknowledgedVersion) });
    }
    // Who hears of everything serves what is published.
    const members = [...fleet.members.values()];
    if (publication !== undefined && members.every(({ view }) => !view.held && !view.stalled)) {
      const serving = members.map(({ name, streams }) => [name, streams.serving]);
      expect({ at, serving }).toEqual({ at, serving: members.map(({ name }) => [name, publication]) });
    }
    // I10: once a replica served something, it does.
    for (const { name, bootId, streams } of fleet.members.values()) {
      const served = before.get(name + bootId);
      if (served !== undefined && command.kind !== "remove" && this.#everRemoved === 0) {
        expect({ at, name, serves: streams.serving !== undefined }).toEqual({ at, name, serves: true });
      }
    }
  }

  #everRemoved = 0;

  /** Everything heals, and everybody answers until nothing changes any more. */
  async converge(): Promise<void> {
    const fleet = this.#fleet;
    for (const { view } of fleet.members.values()) {
      view.thaw();
      view.release();
    }
    await fleet.settle();
    for (const name of REPLICAS) if (!fleet.members.has(name)) await fleet.start(name);
    await fleet.expire();
    await fleet.lead("b");
    if (!await fleet.config()) await this.step({ kind: "apply", name: "fine" });
    for (const at of REPLICAS) await this.step({ kind: "connect", at, count: 2 });
    for (let round = 0; round < 12; round++) {
      for (const at of REPLICAS) await this.step({ kind: "answer", at, share: 3 });
      await this.step({ kind: "wait", seconds: 70 });
      await fleet.wait(600_000);
    }
    const { publication = "", cacheState, clients } = await fleet.status();
    const served = versionOf(publication);
    // All serve the one publication, exactly its revision is marked, and it is one that is not refused if there is any.
    const serving = Object.fromEntries([...fleet.members].map(([name, { streams }]) => [name, streams.serving]));
    expect(serving).toEqual({ a: publication, b: publication, c: publication });
    const revisions = await fleet.revisions();
    expect(revisions.filter(({ status }) => status.published).map(({ version }) => version)).toEqual([served]);
    expect(revisions.length).toBeLessThanOrEqual(10);
    if (cacheState !== "RollbackFailed") expect(TASTES[this.#names.get(served)!]).not.toBe("refuses");
    // What the dead told is gone, and what the EnvoyConfig tells is what the Envoys say.
    const told = revisions.flatMap(({ status }) => Object.keys(status.clients ?? {}));
    for (const name of told) expect(REPLICAS).toContain(name);
    expect(clients).toMatchObject({ connected: 6, pending: 0 });
    // I19: a second look writes nothing.
    const writes = fleet.writes.length;
    for (const { controller } of fleet.members.values()) {
      controller.replicasChanged();
      controller.progressed("edge");
    }
    await fleet.wait(3000);
    expect({ what: "I19", writes: fleet.writes.slice(writes) }).toEqual({ what: "I19", writes: [] });
    // A watch that is held for long makes conflicts that are told in the end; nothing else may go wrong.
    const errors = [...fleet.members.values()].flatMap(({ errors }) => errors);
    expect(errors.filter((error) => !isConflict(error))).toEqual([]);
  }

  async #do(command: Command): Promise<void> {
    const fleet = this.#fleet;
    const member = "at" in command && command.at !== undefined ? fleet.members.get(command.at) : undefined;
    const to = { key: CONFIG, now: fleet.clock.now() };
    switch (command.kind) {
      case "apply":
        return await fleet.apply(spec(command.name));
      case "apply-many":
        for (const name of command.names) await fleet.apply(spec(name));
        return;
      case "overtake": {
        const leaders = [...fleet.members.values()].filter(({ leading }) => leading);
        for (const { view } of leaders) view.stall(command.after);
        await fleet.apply(spec(command.name));
        await fleet.lead(command.by);
        for (const { view } of leaders) view.thaw();
        return await fleet.settle();
      }
      case "connect":
        return await fleet.connect(command.at, command.count);
      case "answer":
        return await this.#answer(command.at, command.share);
      case "wait":
        return await fleet.wait(command.seconds * 1000);
      case "lead":
        return await fleet.lead(command.at);
      case "kill":
        return await fleet.kill(command.at);
      case "start":
        if (!member) await fleet.start(command.at);
        return;
      case "expire":
        return await fleet.expire();
      case "hold":
        return member?.view.hold();
      case "stall":
        return member?.view.stall(command.after);
      case "thaw":
      case "release":
      case "relist":
        if (command.kind === "thaw") member?.view.thaw();
        else member?.view.release({ relist: command.kind === "relist" });
        return await fleet.settle();
      case "remove":
        this.#everRemoved++;
        return await fleet.remove();
      case "retry":
        if (await fleet.config()) await retry(fleet.store, to);
        return await fleet.settle();
      case "pin": {
        const { revisions: known = [] } = await fleet.status();
        const version = known.find((one) => this.#names.get(one.version) === command.name)?.version;
        if (version !== undefined) await pin(fleet.store, { ...to, version });
        return await fleet.settle();
      }
    }
  }

  async #answer(at: Replica, share: number): Promise<void> {
    const streams = this.#fleet.members.get(at)?.streams;
    const name = this.#names.get(versionOf(streams?.serving ?? ""));
    if (!streams || name === undefined) return;
    const taste = TASTES[name];
    const answers = Array.from({ length: streams.count }, (_, index): Answer => {
      if (index >= share) return "silent";
      return taste === "one-refuses" ? index === 0 ? "refuses" : "accepts" : taste;
    });
    await this.#fleet.answer(at, answers);
  }

  /** At the moment of each write, by what is stored then. */
  #judge(write: Write, { before, status, config }: Parameters<ReplicaViewOptions["onWrite"]>[1]): void {
    const own = write.manager === `chancery-clients-${write.replica}`;
    if (!write.leading && !own) this.#faults.push(`${write.replica} does not lead and writes ${write.object}`);
    // I11: what is replaced or removed is what the decision was made of.
    if (write.kind !== "apply" && before && !write.informed) {
      this.#faults.push(`${write.replica} wrote blindly to ${write.object}`);
    }
    if (!before || !config || before.kind !== "EnvoyConfigRevision") return;
    const { version } = before["spec"] as { version: string }; // as we wrote it
    if (write.kind === "remove") this.#judgeRemoval(version, config);
    if (write.kind === "status") this.#judgeTaint(write, { version, before, status, config });
  }

  /** I13 */
  #judgeRemoval(version: string, { status }: StoredObject): void {
    const { publication = "", acknowledgedVersion } = (status ?? {}) as Record<string, string | undefined>; // as we wrote it
    if ([versionOf(publication), acknowledgedVersion].includes(version)) this.#faults.push(`${version} was removed`);
  }

  /** I12: whoever has said anything refused it, by the reports of those that live, and the leader's own word. */
  #judgeTaint(
    { replica }: Write,
    { version, before, status, config }: {
      version: string;
      before: StoredObject;
      status: unknown;
      config: StoredObject;
    },
  ): void {
    const { tainted } = status as { tainted?: boolean }; // as we wrote it
    if (!tainted || revisionStatusOf(before).tainted) return;
    const { publication = "" } = (config["status"] ?? {}) as { publication?: string };
    const fleet = this.#fleet;
    const streams = fleet.members.get(replica)?.streams;
    const own = streams?.serving === publication ? streams.answers : [];
    const others = Object.entries(revisionStatusOf(before).clients ?? {}).filter(([name, report]) =>
      name !== replica && fleet.live.get(name) === report.bootId && report.publication === publication
    ).map(([, report]) => report);
    const refused = own.filter((answer) => answer === "refuses").length +
      others.reduce((sum, { rejected }) => sum + rejected, 0);
    const accepted = own.filter((answer) => answer === "accepts").length +
      others.reduce((sum, { accepted }) => sum + accepted, 0);
    if (versionOf(publication) !== version || refused === 0 || accepted > 0) {
      const proof = `${refused} refuse, ${accepted} accept, ${publication} is published`;
      this.#faults.push(`${version} is tainted without proof: ${proof}`);
    }
  }
}

function versionOf(publication: string): string {
  return publication.replace(/-r\d+$/, "");
}

function has(version: string): unknown {
  return expect.arrayContaining([version]);
}

Deno.test("W27, I2, I10, I11, I12, I13, I19: whatever replicas see late, whoever leads, dies or writes late", async () => {
  const property = fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
    await using run = new Run();
    await run.begin();
    for (const command of commands) await run.step(command);
    await run.converge();
  });
  await fc.assert(property, { numRuns: 60 });
});
