import type { Condition, EnvoyConfigSpec, EnvoyConfigStatus } from "../../../api/mod.ts";
import { compileSpec } from "../../../snapshot/mod.ts";
import type { EmbeddedStore } from "../../../store/mod.ts";
import { type revisionStatusOf, taintOf } from "../revision.ts";
import type { WatchedObject } from "../../engine/object_source.ts";
import { CONFIG } from "./scene.ts";

/** What is told of, whoever brought it about. */
export interface World {
  readonly store: EmbeddedStore;
  status(): Promise<EnvoyConfigStatus>;
  revisions(): Promise<
    { readonly version: string; readonly object: WatchedObject; readonly status: ReturnType<typeof revisionStatusOf> }[]
  >;
}

/** Says in the names of specs what the store holds, so that a case can be read. */
export class Telling {
  readonly #world: World;
  readonly #names = new Map<string, string>();
  #events = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** What a spec makes goes by this name. */
  name(name: string, spec: Record<string, unknown>): void {
    const { version } = compileSpec(spec as unknown as EnvoyConfigSpec, CONFIG.namespace); // ours, or refused anyway
    this.#names.set(version, name);
  }

  /** The version of a name, or the text itself. */
  versionOf(name: string): string {
    return [...this.#names].find(([, known]) => known === name)?.[0] ?? name;
  }

  /** What the EnvoyConfig and its revisions say, and what happened since it was told last. */
  async state(): Promise<Record<string, unknown>> {
    const status = await this.#world.status();
    const stored = await this.#world.revisions();
    const rank = status.revisions?.map(({ version }) => version) ?? stored.map(({ version }) => version);
    const events = (await this.#world.store.events(CONFIG)).slice(this.#events);
    this.#events += events.length;
    return {
      state: status.cacheState ?? "none",
      ...(status.acknowledgedVersion === undefined ? {} : { acknowledged: status.acknowledgedVersion }),
      revisions: rank.map((version) => {
        const revision = stored.find((one) => one.version === version);
        const marks = [revision?.status.published && "published", revision && taintOf(revision.object) && "tainted"];
        return [version, ...marks.filter(Boolean)].join(" ");
      }),
      ...conditions(status.conditions),
      ...(events.length === 0
        ? {}
        : { events: events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`) }),
    };
  }

  /** The same with names in place of versions. */
  named<T>(told: T): T {
    let text = JSON.stringify(told);
    for (const [version, name] of this.#names) text = text.replaceAll(version, name);
    return JSON.parse(text);
  }
}

/** Those about refusals. */
const SHOWN = ["CacheOutOfSync", "RollbackFailed", "ClientsRejecting", "Pinned", "Flapping"];

function conditions(all: readonly Condition[] = []): { conditions?: Record<string, string> } {
  const shown = all.filter(({ type }) => SHOWN.includes(type))
    .map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]);
  return shown.length === 0 ? {} : { conditions: Object.fromEntries(shown) };
}
