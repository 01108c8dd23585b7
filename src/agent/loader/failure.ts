import { ChanceryError, type ErrorCode } from "../../base/mod.ts";

/** How the loader ends when it could not do what it was asked to; each reason tells itself apart. */
export const LOADER_EXIT = {
  /** A file is not fit for Envoy, or two objects give it; in a dry run: something would change. */
  invalid: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Envoy refused a file. */
  refused: 3,
  /** An object does not exist. */
  missing: 5,
  /** The API server does not let us (401, 403). */
  forbidden: 6,
  /** The API server does not answer, or not with what was asked for. */
  unreachable: 7,
  /** The output cannot be written. */
  unwritable: 8,
} as const;

/** Why something failed. */
export type FailureKind = keyof typeof LOADER_EXIT;

const CODES: Partial<Record<FailureKind, ErrorCode>> = {
  missing: "not-found",
  forbidden: "forbidden",
  unreachable: "unavailable",
};

/** A failure that has an exit status of its own. */
export class LoaderFailure extends ChanceryError {
  readonly kind: FailureKind;
  /** How long the API server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(CODES[kind] ?? "invalid-input", message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}
