import { backoffDelay } from "../../../../src/base/mod.ts";
import { type KubeClient, KubeError } from "../kube/client.ts";
import { delay } from "../machine/delay.ts";
import type { Pod } from "../pod/pod.ts";

const RETRY = { baseMs: 50, maxMs: 1000 };

/** Writes the status of one Pod: always the newest, one write at a time, until it is through. */
export class StatusWriter {
  readonly #client: KubeClient;
  readonly #signal: AbortSignal;
  readonly #pod: Pod["metadata"];
  #wanted: string | undefined;
  #written: string | undefined;
  #writing: Promise<void> | undefined;

  constructor(client: KubeClient, pod: Pod, signal: AbortSignal) {
    this.#client = client;
    this.#pod = pod.metadata;
    this.#signal = signal;
  }

  /** Takes note of a status; resolves when it, or a newer one, is written or cannot be any more. */
  async set(status: object): Promise<void> {
    this.#wanted = JSON.stringify(status);
    await (this.#writing ??= this.#write().finally(() => this.#writing = undefined));
  }

  /** Takes the Pod out of the API, after its end. */
  async remove(): Promise<void> {
    await this.#until(() =>
      this.#client.request("DELETE", this.#path, {
        body: { gracePeriodSeconds: 0, preconditions: { uid: this.#pod.uid } },
        signal: this.#signal,
      })
    );
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#pod.namespace}/pods/${this.#pod.name}`;
  }

  async #write(): Promise<void> {
    while (this.#wanted !== this.#written && !this.#signal.aborted) {
      const text = this.#wanted ?? "{}";
      await this.#until(() =>
        this.#client.request("PATCH", `${this.#path}/status`, {
          contentType: "application/strategic-merge-patch+json",
          body: { metadata: { uid: this.#pod.uid }, status: JSON.parse(text) },
          signal: this.#signal,
        })
      );
      this.#written = text;
    }
  }

  /** Tries until it works, or until the Pod is gone or another one has its name. */
  async #until(request: () => Promise<unknown>): Promise<void> {
    for (let failures = 1; !this.#signal.aborted; failures++) {
      try {
        await request();
        return;
      } catch (error) {
        if (error instanceof KubeError && error.status < 429 && error.status >= 400) {
          if (error.status !== 404 && error.status !== 409) throw error;
          return;
        }
        await delay(backoffDelay(failures, RETRY), this.#signal);
      }
    }
  }
}
