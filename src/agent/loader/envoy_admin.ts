import { type Clock, wait } from "../../base/mod.ts";
import {
  type CountsByKind,
  countsOf,
  type ErrorState,
  errorStatesOf,
  type Opinion,
  opinionOf,
} from "./envoy_feedback.ts";
import type { FileKind } from "./file_kind.ts";

/** How long Envoy may take to read a file, and to answer. */
const READ_MS = 5000;
const ANSWER_MS = 2000;
const LOOK_EVERY_MS = 25;

/** What Envoy said to a set of files. */
export interface EnvoyAnswer {
  readonly opinions: ReadonlyMap<FileKind, Opinion>;
  readonly errors: readonly ErrorState[];
}

/** The admin interface of the Envoy that reads the files; it alone tells what came of them. */
export class EnvoyAdmin {
  readonly #url: string;
  readonly #clock: Clock;

  /** @param url `http://127.0.0.1:9901` */
  constructor(url: string, clock: Clock) {
    this.#url = url.replace(/\/+$/, "");
    this.#clock = clock;
  }

  /** What it has counted so far; undefined while it does not answer, as before its start. */
  async counts(signal: AbortSignal): Promise<CountsByKind | undefined> {
    const filter = encodeURIComponent("update_(attempt|success|rejected|failure)$");
    const text = await this.#get(`/stats?filter=${filter}`, signal);
    return text === undefined ? undefined : countsOf(text);
  }

  /** Waits until Envoy has read files of all these kinds, or has had its time. */
  async answer(
    kinds: ReadonlySet<FileKind>,
    before: CountsByKind,
    signal: AbortSignal,
  ): Promise<EnvoyAnswer | undefined> {
    const deadline = this.#clock.monotonic() + READ_MS;
    for (;;) {
      const now = await this.counts(signal);
      if (!now) return undefined;
      const asked = [...kinds].filter((kind) => before.has(kind) || now.has(kind));
      const opinions = new Map(asked.map((kind) => [kind, opinionOf(kind, before, now)]));
      if ([...opinions.values()].every((opinion) => opinion !== "silent") || this.#clock.monotonic() > deadline) {
        const refused = [...opinions.values()].includes("refused");
        return { opinions, errors: refused ? await this.#errors(signal) : [] };
      }
      await wait(LOOK_EVERY_MS, { clock: this.#clock, signals: [signal] });
      if (signal.aborted) return undefined;
    }
  }

  async #errors(signal: AbortSignal): Promise<ErrorState[]> {
    const text = await this.#get("/config_dump", signal);
    try {
      return text === undefined ? [] : errorStatesOf(JSON.parse(text));
    } catch {
      return []; // cut short
    }
  }

  async #get(path: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const response = await fetch(`${this.#url}${path}`, { signal: within });
      const text = await response.text();
      return response.ok ? text : undefined;
    } catch {
      return undefined;
    }
  }
}
