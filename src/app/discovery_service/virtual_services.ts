import { VIRTUAL_SERVICE } from "../../api/virtual_service/mod.ts";
import { type Clock, errorMessage, wait } from "../../base/mod.ts";
import {
  ApiError,
  collectionPath,
  knownResource,
  type KubeConnection,
  resourceOf,
} from "../../store/kubernetes/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** Options of {@linkcode VirtualServices}. */
export interface VirtualServicesOptions {
  readonly connection: Pick<KubeConnection, "request">;
  /** Namespaces to serve; none for all of them. */
  readonly namespaces: readonly string[];
  /** Begins to serve them; resolves once all there are now are on offer. */
  readonly start: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Until it is asked again whether there is such a kind by now, and whether we may see it. In milliseconds. */
const AGAIN_MS = 30_000;
/** The same where there was no answer. */
const NO_ANSWER_MS = 1_000;

/** What has to be seen. */
const SEEN = [resourceOf(VIRTUAL_SERVICE), knownResource("Pod")];

/** Serves VirtualServices where the API server has that kind: at once, or as soon as somebody installs it. */
export class VirtualServices implements Disposable {
  readonly #options: VirtualServicesOptions;
  readonly #ending = new AbortController();
  #told = false;

  constructor(options: VirtualServicesOptions) {
    this.#options = options;
  }

  /**
   * Resolves when they are served, or when there is nothing to serve yet. Does not guess while there is no answer: Envoys would be told
   * that nothing of them is left.
   */
  async begin(): Promise<void> {
    const { clock } = this.#options;
    let seen = await this.#canBeSeen();
    while (seen === undefined) {
      if (!await wait(NO_ANSWER_MS, { clock, signals: [this.#ending.signal] })) return;
      seen = await this.#canBeSeen();
    }
    if (this.#ending.signal.aborted) return;
    if (seen) await this.#options.start();
    else void this.#later();
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }

  async #later(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      if (await wait(AGAIN_MS, { clock, signals: [this.#ending.signal] })) await this.begin();
    } catch (thrown) {
      log.error("Cannot serve VirtualServices", { error: errorMessage(thrown) });
    }
  }

  /** Whether everything that is needed is there; `undefined` when there is no answer. */
  async #canBeSeen(): Promise<boolean | undefined> {
    const { connection, namespaces, log } = this.#options;
    const places = namespaces.length === 0 ? [undefined] : namespaces;
    try {
      for (const resource of SEEN) {
        for (const namespace of places) {
          const response = await connection.request(collectionPath(resource, namespace), {
            query: { limit: 1 },
            doing: `list ${resource.kind}`,
            signal: this.#ending.signal,
          });
          await response.body?.cancel();
        }
      }
      return true;
    } catch (thrown) {
      const status = thrown instanceof ApiError ? thrown.status : undefined;
      if (status === 404) return false;
      if (!this.#told && !this.#ending.signal.aborted) {
        log.warn("Cannot serve VirtualServices for now", { error: errorMessage(thrown) });
        this.#told = true;
      }
      return status === 403 ? false : undefined;
    }
  }
}
