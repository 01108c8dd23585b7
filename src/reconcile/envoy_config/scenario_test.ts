import { testCases } from "../../../tests/golden/cases.ts";
import { pin, retry } from "./actions.ts";
import { CONFIG, Scene, spec } from "./testing/scene.ts";
import type { Answer } from "./testing/streams.ts";
import { Telling } from "./testing/telling.ts";

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
  readonly #telling: Telling;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#telling = new Telling(scene);
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
    if (step.pin) await pin(scene.store, { ...to, version: this.#telling.versionOf(step.pin) });
    if (step.unpin) await scene.unpin();
    if (step.retry) await retry(scene.store, to);
    await scene.settle();
  }

  async tell(): Promise<Record<string, unknown>> {
    const { serving, retryRefused } = this.#scene;
    const serves = `${serving ?? "nothing"}${retryRefused ? ", tries again what is refused" : ""}`;
    return this.#telling.named({ serves, ...await this.#telling.state() });
  }

  async #apply(name: string, step: Step): Promise<void> {
    const more = step.rejectedPercent ? { rollback: { rejectedPercent: step.rejectedPercent } } : {};
    const broken = step.invalid ? { resources: [{ type: "route", value: { nme: name } }] } : {};
    const applied = spec(name, { ...more, ...broken });
    await this.#scene.apply(applied, this.#annotations(step));
    this.#telling.name(name, applied);
  }

  #annotations({ annotations = {} }: Step): Record<string, string> {
    return Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`marin3r.3scale.net/${key}`, this.#telling.versionOf(value)]),
    );
  }
}
