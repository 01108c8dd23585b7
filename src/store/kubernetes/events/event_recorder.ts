import { type Clock, errorMessage, type ObjectKey } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import type { StoredObject, StoreEvent } from "../../store.ts";
import { ApiError } from "../connection/api_error.ts";
import type { KubeConnection } from "../connection/connection.ts";
import { EventSeries, type Series } from "./event_series.ts";

/** Options of {@linkcode EventRecorder}. */
export interface EventRecorderOptions {
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly log: Logger;
  /** Who tells, e.g. `discovery-service` and the name of its pod. */
  readonly component: string;
  readonly instance: string;
  /** The object an event is about; `undefined` when it is gone. */
  readonly find: (about: ObjectKey) => Promise<StoredObject | undefined>;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;
/** Longest message in UTF-8 bytes; the API server takes no more. */
const MAX_MESSAGE = 1024;

/** Writes Events to the API server, one after the other, behind the back of whoever records them. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new EventSeries();
  #working = false;
  #cancel = () => {};
  #named = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#cancel(), { once: true });
  }

  /** Notes an event. Returns at once; nothing is told of failures but in the log. */
  record(event: StoreEvent): void {
    if (this.#options.signal.aborted) return;
    this.#series.note(event, this.#options.clock.now());
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    this.#cancel();
    const { clock, signal } = this.#options;
    for (let due = this.#series.due(clock.now()); due && !signal.aborted; due = this.#series.due(clock.now())) {
      const { id, series } = due;
      try {
        const name = await this.#write(series);
        this.#series.written(id, { name, count: series.count, now: clock.now() });
      } catch (thrown) {
        this.#series.failed(id, clock.now());
        if (!signal.aborted) this.#options.log.warn(errorMessage(thrown));
      }
    }
    this.#working = false;
    const next = this.#series.nextAt();
    if (next === undefined || signal.aborted) return;
    this.#cancel = clock.after(Math.max(0, next - clock.now()), () => void this.#work());
  }

  /** Writes one series into its Event, or into a new one; returns the name. */
  async #write(series: Series): Promise<string> {
    const { namespace } = series.event.about;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace || "default")}/events`;
    if (series.name !== undefined) {
      try {
        await this.#send(`${path}/${series.name}`, {
          method: "PATCH",
          type: "application/merge-patch+json",
          body: changing(series),
        });
        return series.name;
      } catch (thrown) {
        if (!(thrown instanceof ApiError && thrown.status === 404)) throw thrown; // it has expired there
      }
    }
    const event = await this.#eventOf(series);
    await this.#send(path, { method: "POST", type: "application/json", body: event });
    return event.metadata.name;
  }

  async #eventOf(series: Series) {
    const { component, instance, clock, find } = this.#options;
    const { about, type, reason } = series.event;
    const object = await find(about).catch(() => undefined); // the event is worth telling without
    // unique among the replicas and in time, and short enough for a name
    const unique = `${clock.now().toString(16)}${(this.#named++ % 4096).toString(16)}${suffixOf(instance)}`;
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${about.name.slice(0, 200)}.${unique}`, namespace: about.namespace || "default" },
      involvedObject: {
        kind: about.kind,
        name: about.name,
        ...(about.namespace === "" ? {} : { namespace: about.namespace }),
        ...(object
          ? {
            apiVersion: object.apiVersion,
            uid: object.metadata.uid,
            resourceVersion: object.metadata.resourceVersion,
          }
          : {}),
      },
      type,
      reason,
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: timestamp(series.firstAt),
      ...changing(series),
    };
  }

  async #send(
    path: string,
    { method, type, body }: { readonly method: string; readonly type: string; readonly body: unknown },
  ): Promise<void> {
    await this.#options.connection.request(path, {
      method,
      headers: { "content-type": type },
      body: JSON.stringify(body),
      doing: "write an Event",
      timeoutMs: TIMEOUT_MS,
      signal: this.#options.signal,
    });
  }
}

/** What is different each time. */
function changing({ event, count, lastAt }: Series) {
  return { count, lastTimestamp: timestamp(lastAt), message: shortened(event.message) };
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

function shortened(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MAX_MESSAGE) return message;
  // a character cut in two becomes one that says so; it goes
  return `${new TextDecoder().decode(bytes.subarray(0, MAX_MESSAGE - 3)).replace(/\uFFFD+$/, "")}…`;
}

/** A few letters of the name of a pod, as far as a name may have them. */
function suffixOf(instance: string): string {
  return instance.toLowerCase().replace(/[^a-z0-9]/g, "").slice(-8);
}
