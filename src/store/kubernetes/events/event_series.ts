import { formatKey } from "../../../base/mod.ts";
import type { StoreEvent } from "../../store.ts";

/** The same thing happening to the same object, told as one. Times are milliseconds since the epoch. */
export interface Series {
  /** How it happened last. */
  readonly event: StoreEvent;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Name of the Event object that tells it, once there is one. */
  readonly name?: string;
}

interface Open extends Series {
  readonly unwritten: boolean;
  readonly triedAt: number | undefined;
  readonly failures: number;
}

/** Least time between two writes of a series. */
const PACE_MS = 60_000;
/** After so long without a new one the next is a new series. */
const QUIET_MS = 10 * 60_000;
/** Series that are remembered; the one that was quiet longest goes first. */
const MAX_SERIES = 1000;
/** Writes in a row that may fail before one is given up. */
const MAX_FAILURES = 5;

/** Which events to write when: the first of a kind at once, what follows at most once a minute, however often it happens. */
export class EventSeries {
  readonly #series = new Map<string, Open>();

  note(event: StoreEvent, now: number): void {
    this.#forgetQuiet(now);
    const id = `${formatKey(event.about)} ${event.reason}`;
    const known = this.#series.get(id);
    this.#series.delete(id); // put in again at the end: the map is in the order of the last occurrence
    const next = known
      ? { ...known, event, count: known.count + 1, lastAt: now, unwritten: true }
      : { event, count: 1, firstAt: now, lastAt: now, unwritten: true, triedAt: undefined, failures: 0 };
    this.#series.set(id, next);
    if (this.#series.size > MAX_SERIES) this.#series.delete(this.#series.keys().next().value!); // not empty
  }

  /** The series to write now, the longest waiting first. */
  due(now: number): { id: string; series: Series } | undefined {
    for (const [id, series] of this.#series) if (dueAt(series) <= now) return { id, series };
    return undefined;
  }

  /** When the next one falls due; `undefined` when nothing waits. */
  nextAt(): number | undefined {
    const times = [...this.#series.values()].map(dueAt);
    const next = Math.min(...times);
    return Number.isFinite(next) ? next : undefined;
  }

  /** It was written under the name, as far as it had happened by then. */
  written(id: string, { name, count, now }: { name: string; count: number; now: number }): void {
    const series = this.#series.get(id);
    if (series) {
      this.#series.set(id, { ...series, name, triedAt: now, failures: 0, unwritten: series.count > count });
    }
  }

  /** It could not be written; it is tried again, but not for ever. */
  failed(id: string, now: number): void {
    const series = this.#series.get(id);
    if (!series) return;
    const failures = series.failures + 1;
    this.#series.set(id, { ...series, triedAt: now, failures, unwritten: failures < MAX_FAILURES });
  }

  #forgetQuiet(now: number): void {
    for (const [id, { lastAt, unwritten }] of this.#series) {
      if (now - lastAt < QUIET_MS) return;
      if (!unwritten) this.#series.delete(id);
    }
  }
}

function dueAt({ unwritten, triedAt }: Open): number {
  return unwritten ? (triedAt === undefined ? -Infinity : triedAt + PACE_MS) : Infinity;
}
