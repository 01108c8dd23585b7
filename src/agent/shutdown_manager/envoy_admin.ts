import { errorMessage } from "../../base/mod.ts";
import { CONNECTION_STATS, openConnections } from "./connections.ts";

/** How long Envoy may take for an answer. */
const ANSWER_MS = 2_000;

/** What Envoy says to a question. */
export type Answer<T> =
  | { readonly kind: "said"; readonly value: T }
  /** Nobody listens: the process has ended, or has not begun. */
  | { readonly kind: "gone"; readonly why: string }
  | { readonly kind: "silent"; readonly why: string };

/** The admin interface of the Envoy in the same pod. */
export class EnvoyAdmin {
  readonly #url: string;

  /** @param url `http://localhost:9901` */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, "");
  }

  /** From now on Envoy says that it is not ready, and ends connections when it answers their next request. */
  async failHealthCheck(signal: AbortSignal): Promise<Answer<string>> {
    return await this.#ask("/healthcheck/fail", { method: "POST", signal });
  }

  /** How many clients are connected. */
  async connections(signal: AbortSignal): Promise<Answer<number>> {
    const answer = await this.#ask(`/stats?filter=${encodeURIComponent(CONNECTION_STATS)}`, { signal });
    return answer.kind === "said" ? { kind: "said", value: openConnections(answer.value) } : answer;
  }

  async #ask(
    path: string,
    { method = "GET", signal }: { method?: string; signal: AbortSignal },
  ): Promise<Answer<string>> {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const response = await fetch(`${this.#url}${path}`, { method, signal: within });
      const value = await response.text();
      return response.ok
        ? { kind: "said", value }
        : { kind: "silent", why: `it answered with status ${response.status}` };
    } catch (thrown) {
      // `fetch` says only that it failed; its cause says why.
      const why = errorMessage(thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown);
      return { kind: /refused/i.test(why) ? "gone" : "silent", why };
    }
  }
}
