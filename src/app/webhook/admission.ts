import { type Clock, errorMessage } from "../../base/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";
import {
  type AdmissionRequest,
  answerOf,
  readReview,
  reviewBy,
  type Reviewer,
  type Verdict,
  type VerdictReason,
} from "../../webhook/mod.ts";
import { HttpProblem } from "./http_problem.ts";

/** A request as far as admission looks at it. */
export interface WebhookRequest {
  readonly method: string;
  readonly url: URL;
  readonly contentType: string | undefined;
  /** Throws {@linkcode HttpProblem} when it is too large. */
  body(signal: AbortSignal): Promise<string>;
}

/** What goes back. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Options of {@linkcode Admission}. */
export interface AdmissionOptions {
  readonly reviewers: readonly Reviewer[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /**
   * Looks again at what a refusal rests on, before somebody is refused because of it: what is known may be a moment old. Absent
   * or `undefined` where nothing can have changed.
   */
  lookAgain?(reason: VerdictReason, request: AdmissionRequest): Promise<void> | undefined;
  /** Told of each request that was let through. */
  onAllowed?(request: AdmissionRequest): void;
}

/** As long as an API server waits when nothing else is said, and no longer than it ever does. */
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 30_000;
/** So that the answer still arrives in time. */
const RESERVE_MS = 250;

/** From HTTP to a verdict and back: never throws, and says of each request what became of it. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #byPath: ReadonlyMap<string, Reviewer>;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#byPath = new Map(options.reviewers.map((reviewer) => [reviewer.path, reviewer]));
  }

  async answer(request: WebhookRequest): Promise<WebhookAnswer> {
    const { clock } = this.#options;
    const start = clock.monotonic();
    const reviewer = this.#byPath.get(request.url.pathname);
    const path = reviewer?.path ?? "other";
    const note = (result: "allowed" | "denied" | "failed", reason: string) => {
      this.#options.metrics.count("chancery_admission_requests_total", { path, result, reason });
      const seconds = (clock.monotonic() - start) / 1000;
      this.#options.metrics.observe("chancery_admission_duration_seconds", { path, result }, seconds);
    };
    const late = new AbortController();
    const patience = patienceOf(request.url);
    const cancel = clock.after(patience, () => late.abort(tooLate()));
    try {
      const review = await this.#read(request, { reviewer, signal: late.signal });
      // While others were judged no timer could ring, and nobody waits for this one any more.
      if (clock.monotonic() - start > patience) throw tooLate();
      const verdict = await this.#judge(review.request, review.reviewer);
      note(verdict.allowed ? "allowed" : "denied", verdict.reason);
      return jsonAnswer(answerOf(review.request.uid, verdict));
    } catch (thrown) {
      const problem = thrown instanceof HttpProblem ? thrown : this.#mistake(path, thrown);
      note("failed", problem.reason);
      return textAnswer(problem);
    } finally {
      cancel();
    }
  }

  async #read(
    { method, url, contentType, body }: WebhookRequest,
    { reviewer, signal }: { reviewer: Reviewer | undefined; signal: AbortSignal },
  ): Promise<{ request: AdmissionRequest; reviewer: Reviewer }> {
    if (!reviewer) {
      throw new HttpProblem(404, "Cannot review: nothing is reviewed at this path", { reason: "unknown-path" });
    }
    if (method !== "POST") {
      const message = `Cannot review by ${method} ${url.pathname}: use POST`;
      throw new HttpProblem(405, message, { reason: "method", headers: { allow: "POST" } });
    }
    if (!/^application\/json\s*(;|$)/i.test(contentType ?? "")) {
      const message = "Cannot read the admission review: its content type is not application/json";
      throw new HttpProblem(415, message, { reason: "content-type" });
    }
    const text = await body(signal);
    try {
      return { request: readReview(text), reviewer };
    } catch (thrown) {
      throw new HttpProblem(400, errorMessage(thrown), { reason: "unreadable" });
    }
  }

  async #judge(request: AdmissionRequest, reviewer: Reviewer): Promise<Verdict> {
    let verdict = reviewBy(reviewer, request);
    const looking = verdict.allowed ? undefined : this.#options.lookAgain?.(verdict.reason, request);
    if (looking) {
      await looking;
      verdict = reviewBy(reviewer, request);
    }
    if (verdict.allowed) {
      this.#options.onAllowed?.(request);
    } else {
      const { reason } = verdict;
      const object = `${request.resource.resource}/${request.namespace}/${request.name}`;
      this.#options.log.info("Refused", { object, operation: request.operation, reason });
    }
    return verdict;
  }

  #mistake(path: string, thrown: unknown): HttpProblem {
    this.#options.log.error("Cannot review because of a mistake in Chancery itself", {
      path,
      error: errorMessage(thrown),
    });
    return new HttpProblem(500, "Cannot review because of a mistake in Chancery itself; its log says more", {
      reason: "internal",
    });
  }
}

/** How long whoever asked will wait for the answer; the API server says it as `?timeout=10s`. */
function patienceOf(url: URL): number {
  const match = /^(\d{1,6})(ms|s|m)$/.exec(url.searchParams.get("timeout") ?? "");
  if (!match) return DEFAULT_TIMEOUT_MS - RESERVE_MS;
  const ms = Number(match[1]) * { ms: 1, s: 1_000, m: 60_000 }[match[2] as "ms" | "s" | "m"]; // as matched
  return Math.max(RESERVE_MS, Math.min(ms, MAX_TIMEOUT_MS) - RESERVE_MS);
}

function tooLate(): HttpProblem {
  return new HttpProblem(504, "Cannot review: the request did not arrive in time", { reason: "timeout" });
}

function jsonAnswer(document: unknown): WebhookAnswer {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(document) };
}

function textAnswer({ status, message, headers }: HttpProblem): WebhookAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body: `${message}\n` };
}
