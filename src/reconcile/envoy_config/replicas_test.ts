import { testCases } from "../../../tests/golden/cases.ts";
import type { ApplyObject } from "../../store/mod.ts";
import { pin, retry } from "./actions.ts";
import { Fleet } from "./testing/fleet.ts";
import { CONFIG, spec } from "./testing/scene.ts";
import type { Answer } from "./testing/streams.ts";
import { Telling } from "./testing/telling.ts";

testCases(new URL("./testdata/replicas", import.meta.url), {
  name: "EnvoyConfigController of several replicas",
  async run(input) {
    const { steps } = input as unknown as { steps: Step[] }; // our own files
    await using fleet = new Fleet();
    const story = new Story(fleet);
    const told: unknown[] = [];
    for (const step of steps) {
      await story.do(step);
      told.push({ step: JSON.stringify(step), ...await story.tell() });
    }
    return told;
  },
});

/** Several of them may stand in one step; they are done in this order. */
interface Step {
  /** Objects that are there, each with its status, as an older program left them. */
  readonly stored?: StoredByOthers[];
  /** Replicas start, each with its clock so many seconds ahead. */
  readonly start?: Record<string, number>;
  readonly kill?: string;
  /** The Leases of the dead run out. */
  readonly expire?: true;
  /** What the watch of a replica tells is late from now on. */
  readonly hold?: string;
  /** The write after so many of a replica takes long. */
  readonly stall?: Record<string, number>;
  /** A replica leads, all others know that they do not. */
  readonly lead?: string;
  /** Name of a spec: each is another version, known by that name in what comes out. */
  readonly apply?: string;
  readonly annotations?: Record<string, string>;
  readonly remove?: true;
  readonly connect?: Record<string, number>;
  readonly answer?: Record<string, Answer[]>;
  readonly waitSeconds?: number;
  readonly release?: string;
  /** As after a new list: what was in between is never told. */
  readonly relist?: string;
  readonly thaw?: string;
  readonly pin?: string;
  readonly retry?: true;
}

interface StoredByOthers extends ApplyObject {
  readonly status?: Record<string, unknown>;
  /** Name of the EnvoyConfig that owns it. */
  readonly owner?: string;
}

class Story {
  readonly #fleet: Fleet;
  readonly #telling: Telling;
  #writes = 0;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#telling = new Telling(fleet);
  }

  async do(step: Step): Promise<void> {
    const fleet = this.#fleet;
    const to = { key: CONFIG, now: fleet.clock.now() };
    for (const object of step.stored ?? []) await this.#store(object);
    for (const [name, seconds] of Object.entries(step.start ?? {})) {
      await fleet.start(name, { skewMs: seconds * 1000 });
    }
    if (step.kill !== undefined) await fleet.kill(step.kill);
    if (step.expire) await fleet.expire();
    if (step.hold !== undefined) fleet.members.get(step.hold)?.view.hold();
    for (const [name, after] of Object.entries(step.stall ?? {})) fleet.members.get(name)?.view.stall(after);
    if (step.lead !== undefined) await fleet.lead(step.lead);
    if (step.apply !== undefined) {
      this.#telling.name(step.apply, spec(step.apply));
      await fleet.apply(spec(step.apply), step.annotations);
    }
    if (step.remove) await fleet.remove();
    for (const [name, count] of Object.entries(step.connect ?? {})) await fleet.connect(name, count);
    for (const [name, answers] of Object.entries(step.answer ?? {})) await fleet.answer(name, answers);
    if (step.waitSeconds) await fleet.wait(step.waitSeconds * 1000);
    if (step.release !== undefined) fleet.members.get(step.release)?.view.release();
    if (step.relist !== undefined) fleet.members.get(step.relist)?.view.release({ relist: true });
    if (step.thaw !== undefined) fleet.members.get(step.thaw)?.view.thaw();
    if (step.pin) await pin(fleet.store, { ...to, version: this.#telling.versionOf(step.pin) });
    if (step.retry) await retry(fleet.store, to);
    await fleet.settle();
  }

  async tell(): Promise<Record<string, unknown>> {
    const members = [...this.#fleet.members.values()];
    const revisions = await this.#fleet.revisions();
    const { publication, clients } = await this.#fleet.status();
    const errors = members.flatMap(({ errors }) => errors.splice(0).map(String));
    const writes = this.#fleet.writes.slice(this.#writes);
    this.#writes += writes.length;
    return this.#telling.named({
      serve: Object.fromEntries(members.map(({ name, streams }) => [name, streams.serving ?? "nothing"])),
      published: publication ?? "nothing",
      ...await this.#telling.state(),
      ...(clients ? { clients: countsOf({ ...clients, pending: clients.pending }) } : {}),
      ...reported(revisions),
      ...(writes.length === 0 ? {} : {
        writes: writes.map(({ replica, kind, object, manager }) =>
          `${replica}: ${kind} ${object}${manager === undefined ? "" : ` as ${manager}`}`
        ),
      }),
      ...(errors.length === 0 ? {} : { errors }),
    });
  }

  async #store({ owner, status, ...object }: StoredByOthers): Promise<void> {
    const { store } = this.#fleet;
    const { metadata: { name, namespace = "default" }, kind, apiVersion } = object;
    const uid = owner === undefined
      ? undefined
      : (await store.get({ kind: "EnvoyConfig", namespace, name: owner }))!.metadata
        .uid;
    const ownerReferences = uid === undefined || owner === undefined
      ? []
      : [{ apiVersion, kind: "EnvoyConfig", name: owner, uid, controller: true, blockOwnerDeletion: true }];
    const metadata = { ...object.metadata, ...(ownerReferences.length > 0 ? { ownerReferences } : {}) };
    await store.apply({ ...object, metadata }, { fieldManager: "manager" });
    if (status) await store.updateStatus({ kind, namespace, name }, status, { fieldManager: "manager" });
    this.#fleet.clock.advance(1000);
  }
}

type Counts = NonNullable<Awaited<ReturnType<Fleet["status"]>>["clients"]>;

function countsOf({ connected, accepted, rejected, refusedData, pending }: Counts): string {
  const data = refusedData > 0 ? `, ${refusedData} refuse data` : "";
  return `${connected} connected: ${accepted} accept, ${rejected} refuse${data}, ${pending} pending`;
}

function reported(revisions: Awaited<ReturnType<Fleet["revisions"]>>): { reports?: Record<string, string> } {
  const all = revisions.flatMap(({ version, status: { clients = {} } }) =>
    Object.entries(clients).map(([replica, report]) => {
      const expected = report.expected === undefined ? "" : `, ${report.expected} expected`;
      return [`${version} by ${replica}`, `${report.publication}: ${countsOf(report)}${expected}`] as const;
    })
  );
  return all.length === 0 ? {} : { reports: Object.fromEntries(all) };
}
