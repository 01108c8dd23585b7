import { ChanceryError, type ErrorCode } from "../../../base/mod.ts";

/** `metav1.Status`, as far as we read it. */
export interface ApiStatus {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly causes?: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[];
    readonly retryAfterSeconds?: number;
  };
}

/** One reason of several. */
export interface ApiCause {
  readonly reason: string;
  readonly field: string;
}

/** What the API server answered instead of doing what it was asked. */
export class ApiError extends ChanceryError {
  /** HTTP status. */
  readonly status: number;
  /** `metav1.StatusReason`, e.g. `AlreadyExists`; empty when the answer had none. */
  readonly reason: string;
  /** How long the API server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The single causes, e.g. reason `FieldManagerConflict` of field `.spec.size`. */
  readonly causes: readonly ApiCause[];

  constructor(
    code: ErrorCode,
    message: string,
    answer: {
      readonly status: number;
      readonly reason?: string;
      readonly retryAfterMs?: number | undefined;
      readonly causes?: readonly ApiCause[];
    },
  ) {
    super(code, message);
    this.status = answer.status;
    this.reason = answer.reason ?? "";
    this.retryAfterMs = answer.retryAfterMs;
    this.causes = answer.causes ?? [];
  }
}

/** Longest text of the API server that is passed on, in UTF-16 units. */
const MAX_TEXT = 1000;

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "invalid-input",
  401: "forbidden",
  403: "forbidden",
  404: "not-found",
  405: "invalid-input",
  406: "invalid-input",
  409: "conflict",
  410: "unavailable",
  413: "invalid-input",
  415: "invalid-input",
  422: "invalid-input",
  429: "unavailable",
  501: "internal",
};

/** What to do about it, where that is not plain from the words of the API server. */
const ADVICE: Readonly<Record<number, string>> = {
  401: "check the credentials, they may have expired",
  403: "grant it with a Role or ClusterRole and a binding",
  410: "that version is too old, read anew",
  413: "the object is too large",
  429: "the API server is busy",
};

/** What was asked, for messages. */
export interface Asked {
  /** E.g. `list Secret in namespace "demo"`. */
  readonly doing: string;
  /** Address of the API server. */
  readonly server: string;
  /** The request or its answer holds secret bytes: words of the API server that may quote them are left out. */
  readonly secret?: boolean;
}

/** The error for an answer that is none of the 200s. */
export function apiError(
  answer: { readonly status: number; readonly body: string; readonly retryAfterMs?: number | undefined },
  asked: Asked,
): ApiError {
  const { status, retryAfterMs } = answer;
  const told = readStatus(answer.body);
  const code = CODES[status] ?? (status >= 500 ? "unavailable" : "internal");
  const words = asked.secret && (status === 400 || status === 422)
    ? withoutValues(told)
    : told?.message ?? plainText(answer.body);
  const why = words ? shorten(words) : `HTTP status ${status}`;
  // a Status about an object names it; without one there is no such resource
  const noKind = status === 404 && told?.details?.name === undefined;
  const advice = noKind ? "the kind may not be installed there" : ADVICE[status];
  const message = `Cannot ${asked.doing}: the API server ${asked.server} says: ${why}${advice ? ` (${advice})` : ""}`;
  const waitS = told?.details?.retryAfterSeconds;
  const wait = retryAfterMs ?? (waitS === undefined ? undefined : waitS * 1000);
  return new ApiError(code, message, {
    status,
    ...(told?.reason === undefined || noKind ? {} : { reason: told.reason }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    causes: (told?.details?.causes ?? []).map(({ reason = "", field = "" }) => ({ reason, field })),
  });
}

/** Whether one of the causes has this reason. */
export function hasCause(error: ApiError, reason: string): boolean {
  return error.causes.some((cause) => cause.reason === reason);
}

/** The Status in a body; `undefined` when it is none, e.g. the page of a proxy. */
function readStatus(body: string): ApiStatus | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || !("kind" in value) || value.kind !== "Status") return undefined;
    return value as ApiStatus; // every field of it is optional
  } catch {
    return undefined;
  }
}

/** A short answer that is no Status, e.g. `Client sent an HTTP request to an HTTPS server`; pages are left out. */
function plainText(body: string): string | undefined {
  const text = body.trim().replace(/\.$/, "");
  return text.length > 0 && text.length < 200 && !/[<{\n]/.test(text) ? text : undefined;
}

/** Which fields were refused, without what was in them. */
function withoutValues(status: ApiStatus | undefined): string {
  const fields = (status?.details?.causes ?? []).map(({ field, reason }) => `${field ?? ""}: ${reason ?? "refused"}`);
  return [status?.reason ?? "refused", ...fields].join(", ");
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}
