import { type Clock, errorMessage, type Finding, formatKey, type ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { NodeReport } from "../../reconcile/mod.ts";
import { inspectEnvoyConfig, type Sources } from "../../snapshot/mod.ts";
import type { Store } from "../../store/mod.ts";
import type { OpenFinding } from "../../telemetry/mod.ts";
import { checkKeyPair, findingsOfObjects, type Locate } from "../serving/mod.ts";
import type { SecondOpinion } from "../validate/mod.ts";

/** After this time Envoy is asked again what it gave no answer to, in milliseconds. */
const AGAIN_MS = 5 * 60_000;

/** Options of {@linkcode EnvoyOpinions}. */
export interface EnvoyOpinionsOptions {
  readonly registry: Registry;
  readonly store: Pick<Store, "get">;
  /** The Secrets and slices of a namespace, as they are served; objects do not change. */
  readonly sources: (namespace: string) => Sources;
  readonly clock: Clock;
  /** The Envoy to ask, as the command line names it. */
  readonly envoy: string;
  /** Finds that Envoy; what is under way ends with `signal`. */
  readonly open: (envoy: string, signal: AbortSignal) => Promise<SecondOpinion>;
  /** Told when there is something else to say. */
  readonly onChange: () => void;
}

/** What Envoy said to the EnvoyConfig of one node id. */
interface Known {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  /** Whether the objects that it names still are what Envoy was shown. */
  readonly isCurrent: () => boolean;
  readonly findings: readonly Finding[];
}

/**
 * What a real Envoy says to what is wanted of each node id. It is asked beside the serving, one config at a time, when a spec or
 * a Secret behind it is new; nothing waits for it, and an Envoy that crashes, hangs or is not there is something to tell.
 */
export class EnvoyOpinions implements AsyncDisposable {
  readonly #options: EnvoyOpinionsOptions;
  readonly #wanted = new Map<string, ObjectKey>(); // by node id
  readonly #due = new Set<string>(); // node ids
  readonly #known = new Map<string, Known>(); // by node id
  readonly #ending = new AbortController();
  #opinion: SecondOpinion | undefined;
  #problem: Finding | undefined;
  #resting = true;
  #working: Promise<void> | undefined;
  #cancelAgain: (() => void) | undefined;

  constructor(options: EnvoyOpinionsOptions) {
    this.#options = options;
  }

  /** A node id was looked at; `undefined` when it is gone. */
  looked(nodeId: string, report: NodeReport | undefined): void {
    if (report?.source) {
      this.#wanted.set(nodeId, report.source);
      this.#due.add(nodeId);
      return this.#wake();
    }
    this.#wanted.delete(nodeId);
    if (this.#known.delete(nodeId)) this.#options.onChange();
  }

  /** Begins to ask. What is looked at before waits: the start needs the machine for itself. */
  start(): void {
    this.#resting = false;
    this.#wake();
  }

  /** What Envoy says now, with places in files. */
  findings(locate: Locate): readonly OpenFinding[] {
    const known = new Map([...this.#known.values()].map(({ key, findings }) => [formatKey(key), findings]));
    const own = this.#problem ? [{ about: this.#options.envoy, finding: this.#problem }] : [];
    return [...own, ...findingsOfObjects(known, locate)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#cancelAgain?.();
    await this.#working;
  }

  #wake(): void {
    if (this.#resting || this.#working || this.#due.size === 0 || this.#ending.signal.aborted) return;
    this.#working = this.#work().finally(() => {
      this.#working = undefined;
      this.#wake();
    });
  }

  async #work(): Promise<void> {
    const { envoy, open, onChange } = this.#options;
    const { signal } = this.#ending;
    for (const nodeId of this.#due) { // what is added meanwhile comes, too
      try {
        this.#opinion ??= await open(envoy, signal);
        if (signal.aborted) return;
        if (this.#problem) onChange();
        this.#problem = undefined;
        this.#due.delete(nodeId);
        await this.#ask(nodeId, this.#opinion);
      } catch (thrown) {
        if (signal.aborted) return;
        this.#due.add(nodeId);
        this.#opinion = undefined; // it may be another one when it is back
        this.#resting = true;
        const message = `Cannot ask Envoy for its opinion: ${errorMessage(thrown)}`;
        this.#problem = { severity: "warning", path: [], message, rule: "envoy-unavailable" };
        onChange();
        return this.#askAgain();
      }
    }
  }

  async #ask(nodeId: string, opinion: SecondOpinion): Promise<void> {
    const { store, registry, onChange } = this.#options;
    const key = this.#wanted.get(nodeId);
    const object = key && await store.get(key);
    if (!key || !object) return;
    const { uid, generation } = object.metadata;
    const known = this.#known.get(nodeId);
    if (known?.uid === uid && known.generation === generation && known.isCurrent()) return;
    const { sources, isCurrent } = this.#watched(key.namespace);
    const findings = await opinion.ask(inspectEnvoyConfig(object, { registry, checkKeyPair, sources: () => sources }));
    if (this.#ending.signal.aborted || !this.#wanted.has(nodeId)) return;
    this.#known.set(nodeId, { key, uid, generation, isCurrent, findings });
    if (findings.some(isNoAnswer)) this.#askAgain();
    onChange();
  }

  /** Sources that remember what was taken from them. Endpoints come and go all the time: there it counts whether there are any. */
  #watched(namespace: string): { sources: Sources; isCurrent: () => boolean } {
    const now = () => this.#options.sources(namespace);
    const checks: (() => boolean)[] = [];
    const sources: Sources = {
      secret(name) {
        const found = now().secret(name);
        checks.push(() => now().secret(name) === found);
        return found;
      },
      slices(selector) {
        const found = now().slices(selector);
        checks.push(() => now().slices(selector).length > 0 === found.length > 0);
        return found;
      },
    };
    return { sources, isCurrent: () => checks.every((check) => check()) };
  }

  #askAgain(): void {
    this.#cancelAgain ??= this.#options.clock.after(AGAIN_MS, () => {
      this.#cancelAgain = undefined;
      for (const [nodeId, known] of this.#known) {
        if (!known.findings.some(isNoAnswer)) continue;
        this.#known.set(nodeId, { ...known, isCurrent: () => false });
        this.#due.add(nodeId);
      }
      this.start();
    });
  }
}

function isNoAnswer({ rule }: Finding): boolean {
  return rule === "envoy-crash" || rule === "envoy-timeout";
}
