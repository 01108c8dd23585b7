/** What went wrong, in the few words that every edge (gRPC, HTTP, condition, exit code) can map. */
export type ErrorCode = "invalid-input" | "conflict" | "not-found" | "forbidden" | "unavailable" | "internal";

/** Options of {@linkcode ChanceryError}. */
export interface ErrorOptions {
  readonly cause?: unknown;
  /** Whether the same call may succeed later; by default only for `unavailable` and `conflict`. */
  readonly retryable?: boolean;
}

/**
 * The one error class of the project: an edge decides by {@linkcode code} how to show it, a loop by {@linkcode retryable}
 * whether to try again. Wrong input is never retried; it becomes a condition or a finding instead.
 */
export class ChanceryError extends Error {
  override readonly name = "ChanceryError";
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? (code === "unavailable" || code === "conflict");
  }
}

/** The text of anything that was thrown, without a stack. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Whether trying again may help; an unknown error is tried again, since giving up silently is worse. */
export function isRetryable(thrown: unknown): boolean {
  return thrown instanceof ChanceryError ? thrown.retryable : true;
}
