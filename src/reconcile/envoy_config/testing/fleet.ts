import type { EnvoyConfigStatus } from "../../../api/mod.ts";
import { type Clock, ManualClock } from "../../../base/mod.ts";
import { envoyRegistry } from "../../../envoy/mod.ts";
import { openMemoryStore, type StoredObject } from "../../../store/mod.ts";
import { EnvoyConfigController } from "../controller.ts";
import { revisionStatusOf } from "../revision.ts";
import { ReplicaView, type ReplicaViewOptions, type Write } from "./replica_view.ts";
import { CONFIG } from "./scene.ts";
import { type Answer, Streams } from "./streams.ts";

/** One life of a replica. */
export interface Member {
  readonly name: string;
  readonly bootId: string;
  readonly controller: EnvoyConfigController;
  readonly view: ReplicaView;
  readonly streams: Streams;
  readonly stop: AbortController;
  /** Whether it believes to lead. */
  leading: boolean;
  /** Every publication that was handed to its sink, in order. */
  readonly published: string[];
  readonly errors: unknown[];
}

/** Several replicas over one real store, each with a view, Envoys and a clock of its own. */
export class Fleet implements AsyncDisposable {
  readonly clock = new ManualClock(Date.parse("2026-03-04T05:06:07Z"));
  readonly store = openMemoryStore({ clock: this.clock });
  readonly members = new Map<string, Member>();
  readonly writes: Write[] = [];
  /** Boot ids of those whose Lease has not run out; the dead may be among them. */
  readonly live = new Map<string, string>();
  readonly #onWrite: ReplicaViewOptions["onWrite"];
  readonly #current = new Map<string, StoredObject>();
  readonly #stop = new AbortController();
  #boots = 0;

  constructor(onWrite: ReplicaViewOptions["onWrite"] = () => {}) {
    this.#onWrite = onWrite;
    void this.store.watch(["EnvoyConfig", "EnvoyConfigRevision"], ({ type, object }) => {
      const id = `${object.kind}/${object.metadata.name}`;
      if (type === "deleted") this.#current.delete(id);
      else this.#current.set(id, object);
    }, { signal: this.#stop.signal });
  }

  /** Starts a replica, again after it ended; nobody is connected to it then. Its clock may be off. */
  async start(name: string, { skewMs = 0 } = {}): Promise<Member> {
    await this.kill(name);
    const stop = new AbortController();
    const streams = new Streams(() => this.clock.now() + skewMs);
    const replica = { name, bootId: String(++this.#boots) };
    const view = new ReplicaView({
      store: this.store,
      current: ({ kind, name }) => this.#current.get(`${kind}/${name}`),
      replica: name,
      leading: () => member.leading,
      life: stop.signal,
      onWrite: (write, change) => {
        this.writes.push(write);
        this.#onWrite(write, change);
      },
    });
    const published: string[] = [];
    const errors: unknown[] = [];
    const controller = new EnvoyConfigController({
      store: view,
      registry: envoyRegistry(),
      clock: skewed(this.clock, skewMs),
      random: () => 0,
      replica,
      replicas: { live: () => this.live },
      leadership: { leading: () => member.leading },
      clients: { reports: () => streams.reports() },
      sink: {
        set: (_nodeId, { revision }) => {
          if (streams.offer(revision)) published.push(revision);
          if (streams.count > 0) queueMicrotask(() => controller.progressed("edge")); // they are offered it
        },
        gone: () => streams.serving = undefined,
      },
      onError: (_group, { error }) => errors.push(error),
    });
    const member: Member = { ...replica, controller, view, streams, stop, published, errors, leading: false };
    this.members.set(name, member);
    this.live.set(name, replica.bootId);
    await controller.start(stop.signal);
    this.#tellReplicas();
    await this.settle();
    return member;
  }

  /** Ends a replica at once; its Lease goes on. */
  async kill(name: string): Promise<void> {
    const member = this.members.get(name);
    if (!member) return;
    this.members.delete(name);
    member.stop.abort();
    member.view.thaw();
    await member.controller.idle();
    await this.settle();
  }

  /** The Leases of the dead run out. */
  async expire(): Promise<void> {
    for (const name of this.live.keys()) if (!this.members.has(name)) this.live.delete(name);
    this.#tellReplicas();
    await this.settle();
  }

  /** One leads from now on, or nobody; those who did learn of it. */
  async lead(name: string | undefined): Promise<void> {
    for (const member of this.members.values()) {
      const leading = member.name === name;
      if (member.leading === leading) continue;
      member.leading = leading;
      member.controller.leadershipChanged();
    }
    await this.settle();
  }

  /** Envoys of a replica come, or go. */
  async connect(name: string, count: number): Promise<void> {
    const member = this.members.get(name);
    member?.streams.connect(count);
    await this.#progress(member);
  }

  /** What the Envoys of a replica say of what it serves now. */
  async answer(name: string, answers: readonly Answer[]): Promise<void> {
    const member = this.members.get(name);
    member?.streams.answer(answers);
    await this.#progress(member);
  }

  /** Time goes by, in steps small enough for everything that waits. */
  async wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(left, 1000));
      await this.settle();
    }
  }

  /** Waits until nothing is left to do now, by those who do not wait for a write. */
  async settle(): Promise<void> {
    for (let i = 0; i < 4; i++) {
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      for (const { view, controller } of this.members.values()) {
        let idle = false;
        void controller.idle().then(() => idle = true);
        // A write that stalls keeps its replica busy for as long as the test likes.
        for (let turn = 0; turn < 2000 && !idle && !view.stalled; turn++) await Promise.resolve();
      }
    }
  }

  async apply(spec: Record<string, unknown>, annotations: Record<string, string> = {}): Promise<void> {
    const { namespace, name } = CONFIG;
    const metadata = { namespace, name, annotations };
    const object = { apiVersion: "marin3r.3scale.net/v1alpha1", kind: CONFIG.kind, metadata, spec };
    await this.store.apply(object, { fieldManager: "user" });
    await this.settle();
  }

  async remove(): Promise<void> {
    await this.store.remove(CONFIG);
    await this.settle();
  }

  async config(): Promise<StoredObject | undefined> {
    return await this.store.get(CONFIG);
  }

  async status(): Promise<EnvoyConfigStatus> {
    return ((await this.config())?.status ?? {}) as EnvoyConfigStatus; // as we wrote it
  }

  async revisions(): Promise<{ version: string; object: StoredObject; status: ReturnType<typeof revisionStatusOf> }[]> {
    const { items } = await this.store.list("EnvoyConfigRevision");
    return items.map((object) => {
      const { version } = object["spec"] as { version: string }; // as we wrote it
      return { version, object, status: revisionStatusOf(object) };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.members.keys()]) await this.kill(name);
    this.#stop.abort();
    await this.store.close();
  }

  #tellReplicas(): void {
    for (const { controller } of this.members.values()) controller.replicasChanged();
  }

  async #progress(member: Member | undefined): Promise<void> {
    this.clock.advance(100);
    member?.controller.progressed(NODE_ID);
    await this.settle();
  }
}

const NODE_ID = "edge";

/** A clock that tells another time of day. */
function skewed(clock: Clock, skewMs: number): Clock {
  return {
    now: () => clock.now() + skewMs,
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => clock.after(ms, callback),
  };
}
