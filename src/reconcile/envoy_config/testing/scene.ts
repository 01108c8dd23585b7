import type { EnvoyConfigStatus } from "../../../api/mod.ts";
import { ChanceryError, ManualClock, type ObjectKey } from "../../../base/mod.ts";
import { envoyRegistry } from "../../../envoy/mod.ts";
import { openMemoryStore, type Store, type StoredObject } from "../../../store/mod.ts";
import { EnvoyConfigController } from "../controller.ts";
import { revisionStatusOf } from "../revision.ts";
import { type Answer, Streams } from "./streams.ts";

/** The EnvoyConfig of the scene. */
export const CONFIG: ObjectKey = { kind: "EnvoyConfig", namespace: "demo", name: "edge" };

/**
 * A controller over a real store, with streams that answer as they are told, and a process that can end at any write. For
 * tests of what happens over time.
 */
export class Scene implements AsyncDisposable {
  readonly clock = new ManualClock(Date.parse("2026-03-04T05:06:07Z"));
  readonly store = openMemoryStore({ clock: this.clock });
  readonly errors: unknown[] = [];
  /** Every publication that was handed to the sink, in order. */
  readonly published: string[] = [];
  retryRefused = false;
  writes = 0;
  /** The process ends instead of this one of its writes, counted from now. */
  crashAt = Infinity;
  #streams = new Streams(() => this.clock.now());
  #stop = new AbortController();
  #boots = 0;
  controller: EnvoyConfigController | undefined;

  /** Starts the process, again after it ended; nobody is connected then. */
  async start(): Promise<void> {
    this.#stop.abort();
    await this.controller?.idle();
    this.#stop = new AbortController();
    this.#streams = new Streams(() => this.clock.now());
    this.crashAt = Infinity;
    this.controller = new EnvoyConfigController({
      store: this.#storeOf(this.#stop),
      registry: envoyRegistry(),
      clock: this.clock,
      random: () => 0,
      shelf: this.store,
      replica: { name: "here", bootId: String(++this.#boots) },
      clients: { reports: () => this.#streams.reports() },
      sink: {
        set: (_nodeId, { revision }, { retryRefused }) => {
          if (this.#streams.offer(revision)) this.published.push(revision);
          if (this.#streams.count > 0) queueMicrotask(() => this.controller?.progressed("edge")); // they are offered it
          this.retryRefused = retryRefused;
        },
        gone: () => this.#streams.serving = undefined,
      },
      onError: (_group, { error }) => this.errors.push(error),
    });
    await this.controller.start(this.#stop.signal);
  }

  /** What is served. */
  get serving(): string | undefined {
    return this.#streams.serving;
  }

  /** Whether the process ended at a write. */
  get crashed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Waits until nothing is left to do now. */
  async settle(): Promise<void> {
    for (let i = 0; i < 4; i++) {
      await Promise.resolve();
      await this.controller?.idle();
    }
  }

  /** Time goes by, in steps small enough for everything that waits. */
  async wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(left, 1000));
      await this.settle();
    }
  }

  async apply(spec: Record<string, unknown>, annotations: Record<string, string> = {}): Promise<void> {
    const { namespace, name } = CONFIG;
    const metadata = { namespace, name, annotations };
    const object = { apiVersion: "marin3r.3scale.net/v1alpha1", kind: CONFIG.kind, metadata, spec };
    await this.store.apply(object, { fieldManager: "user" });
    await this.settle();
  }

  /** Takes away the annotations that a pin or a retry has left. */
  async unpin(): Promise<void> {
    const { namespace, name } = CONFIG;
    const object = { apiVersion: "marin3r.3scale.net/v1alpha1", kind: CONFIG.kind, metadata: { namespace, name } };
    await this.store.apply(object, { fieldManager: "chancery-steer" });
    await this.settle();
  }

  async remove(): Promise<void> {
    await this.store.remove(CONFIG);
    await this.settle();
  }

  /** Streams come, or go; those that stay keep what they said. */
  async connect(count: number): Promise<void> {
    this.#streams.connect(count);
    await this.#progress();
  }

  /** What the connected streams say of what is served now. */
  async answer(answers: readonly Answer[]): Promise<void> {
    this.#streams.answer(answers);
    await this.#progress();
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
    this.#stop.abort();
    await this.controller?.idle();
    await this.store.close();
  }

  async #progress(): Promise<void> {
    this.clock.advance(100);
    this.controller?.progressed("edge");
    await this.settle();
  }

  /** The store as one life of the process sees it: after its end nothing it does has an effect. */
  #storeOf(life: AbortController): Store {
    const { store } = this;
    const write = <T>(run: () => Promise<T>): Promise<T> => {
      if (--this.crashAt < 0) life.abort();
      if (life.signal.aborted) return Promise.reject(new ChanceryError("internal", "the process has ended"));
      this.writes++;
      return run();
    };
    return {
      get: (...args) => store.get(...args),
      list: (...args) => store.list(...args),
      watch: (...args) => store.watch(...args),
      apply: (...args) => write(() => store.apply(...args)),
      updateStatus: (...args) => write(() => store.updateStatus(...args)),
      remove: (...args) => write(() => store.remove(...args)),
      record: (...args) => store.record(...args),
    };
  }
}

/** A spec that differs from others by its name. */
export function spec(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { nodeID: "edge", resources: [{ type: "route", value: { name } }], ...more };
}
