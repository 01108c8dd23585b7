import { testCases } from "../../../tests/golden/cases.ts";
import type { Condition } from "../../api/mod.ts";
import { pin, retry } from "./actions.ts";
import { taintOf } from "./revision.ts";
import { type Answer, CONFIG, Scene, spec } from "./testing/scene.ts";

testCases(new URL("./testdata/scenarios", import.meta.url), {
  name: "EnvoyConfigController",
  async run(input) {
    const { steps } = input as unknown as { steps: Step[] }; // our own files
    await using scene = new Scene();
    await scene.start();
    const story = new Story(scene);
    const told: unknown[] = [];
    for (const step of steps) {
      await story.do(step);
      told.push({ step: JSON.stringify(step), ...await story.tell() });
    }
    return told;
  },
});

/** One of them per step. */
interface Step {
  /** Name of a spec: each is another version, known by that name in what comes out. */
  readonly apply?: string;
  readonly rejectedPercent?: number;
  /** A resource that cannot be read. */
  readonly invalid?: true;
  readonly annotations?: Record<string, string>;
  readonly remove?: true;
  readonly connect?: number;
  readonly answer?: Answer[];
  readonly waitSeconds?: number;
  readonly restart?: true;
  readonly pin?: string;
  /** Somebody takes the annotations away. */
  readonly unpin?: true;
  readonly retry?: true;
}

/** Says in the names of specs what happens, so that a case can be read. */
class Story {
  readonly #scene: Scene;
  readonly #names = new Map<string, string>();
  #events = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async do(step: Step): Promise<void> {
    const scene = this.#scene;
    const to = { key: CONFIG, now: scene.clock.now() };
    if (step.apply !== undefined) await this.#apply(step.apply, step);
    if (step.remove) await scene.remove();
    if (step.connect !== undefined) await scene.connect(step.connect);
    if (step.answer) await scene.answer(step.answer);
    if (step.waitSeconds) await scene.wait(step.waitSeconds * 1000);
    if (step.restart) await scene.start();
    if (step.pin) await pin(scene.store, { ...to, version: this.#versionOf(step.pin) });
    if (step.unpin) await scene.unpin();
    if (step.retry) await retry(scene.store, to);
    await scene.settle();
  }

  async tell(): Promise<Record<string, unknown>> {
    const { serving, retryRefused } = this.#scene;
    const status = await this.#scene.status();
    const stored = await this.#scene.revisions();
    const rank = status.revisions?.map(({ version }) => version) ?? stored.map(({ version }) => version);
    const events = (await this.#scene.store.events(CONFIG)).slice(this.#events);
    this.#events += events.length;
    const told = {
      serves: `${serving ?? "nothing"}${retryRefused ? ", tries again what is refused" : ""}`,
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
    return JSON.parse(this.#named(JSON.stringify(told)));
  }

  async #apply(name: string, step: Step): Promise<void> {
    const more = step.rejectedPercent ? { rollback: { rejectedPercent: step.rejectedPercent } } : {};
    const broken = step.invalid ? { resources: [{ type: "route", value: { nme: name } }] } : {};
    await this.#scene.apply(spec(name, { ...more, ...broken }), this.#annotations(step));
    const { desiredVersion } = await this.#scene.status();
    if (desiredVersion !== undefined) this.#names.set(desiredVersion, name);
  }

  #annotations({ annotations = {} }: Step): Record<string, string> {
    return Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`marin3r.3scale.net/${key}`, this.#versionOf(value)]),
    );
  }

  #versionOf(name: string): string {
    return [...this.#names].find(([, known]) => known === name)?.[0] ?? name;
  }

  #named(text: string): string {
    for (const [version, name] of this.#names) text = text.replaceAll(version, name);
    return text;
  }
}

/** Those about refusals. */
const SHOWN = ["CacheOutOfSync", "RollbackFailed", "ClientsRejecting", "Pinned", "Flapping"];

function conditions(all: readonly Condition[] = []): { conditions?: Record<string, string> } {
  const shown = all.filter(({ type }) => SHOWN.includes(type))
    .map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]);
  return shown.length === 0 ? {} : { conditions: Object.fromEntries(shown) };
}
