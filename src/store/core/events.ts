import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { RecordedEvent } from "../embedded_store.ts";
import type { StoreEvent } from "../store.ts";
import { timestamp } from "./apply.ts";

/** How much is remembered. */
export interface EventLimits {
  readonly total: number;
  readonly perObject: number;
}

/** Room for a thousand events, so that one noisy object drives out only its own. */
const DEFAULT_EVENT_LIMITS: EventLimits = { total: 1000, perObject: 20 };
const LONGEST_MESSAGE = 1024;

/** The newest events. The same thing happening to the same object again is counted, not repeated. */
export class EventLog {
  readonly #events = new Map<string, RecordedEvent>();
  readonly #limits: EventLimits;
  readonly #changed = new Set<string>();

  constructor(limits: EventLimits = DEFAULT_EVENT_LIMITS) {
    this.#limits = limits;
  }

  record(event: StoreEvent, nowMs: number): void {
    const { about, type, reason } = event;
    const message = event.message.length > LONGEST_MESSAGE
      ? `${event.message.slice(0, LONGEST_MESSAGE - 1)}…`
      : event.message;
    const id = JSON.stringify([formatKey(about), type, reason, message]);
    const known = this.#events.get(id);
    const time = timestamp(nowMs);
    const firstSeen = known?.firstSeen ?? time;
    // taken out first, so that the map stays in the order of the last occurrence
    this.#events.delete(id);
    this.#events.set(id, { about, type, reason, message, count: (known?.count ?? 0) + 1, firstSeen, lastSeen: time });
    this.#changed.delete(id);
    this.#changed.add(id);
    this.#trim(about);
  }

  /** Puts back what was read from disk, oldest first. */
  load(id: string, event: RecordedEvent): void {
    this.#events.set(id, event);
  }

  list(about?: ObjectKey): RecordedEvent[] {
    const all = [...this.#events.values()];
    return about === undefined ? all : all.filter((event) => formatKey(event.about) === formatKey(about));
  }

  /** What is to be written since {@linkcode written}: `undefined` for what was forgotten. */
  pending(): Map<string, RecordedEvent | undefined> {
    return new Map([...this.#changed].map((id) => [id, this.#events.get(id)]));
  }

  written(): void {
    this.#changed.clear();
  }

  #trim(about: ObjectKey): void {
    const ofObject = [...this.#events].filter(([, event]) => formatKey(event.about) === formatKey(about));
    const surplus = [
      ...ofObject.slice(0, Math.max(0, ofObject.length - this.#limits.perObject)).map(([id]) => id),
      ...[...this.#events.keys()].slice(0, Math.max(0, this.#events.size - this.#limits.total)),
    ];
    for (const id of surplus) {
      this.#events.delete(id);
      this.#changed.add(id);
    }
  }
}
