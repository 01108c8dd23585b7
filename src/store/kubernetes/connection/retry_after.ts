/** Longest pause that is taken at the word of the API server, in milliseconds. */
const LONGEST_MS = 60_000;

/** A `Retry-After` header as milliseconds from now; `undefined` when it says nothing. Seconds or an HTTP date. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.max(0, ms));
}

/** Tries of one request, the first included. */
const MAX_TRIES = 6;

/**
 * How long to wait before the same request is sent again; `undefined` when it is not. Only what the API server turned away
 * at its door is repeated: 429, and 5xx that name a time.
 */
export function pauseBeforeRetry(
  answer: { readonly status: number; readonly retryAfterMs: number | undefined },
  { tries, leftMs, random }: { readonly tries: number; readonly leftMs: number; readonly random: number },
): number | undefined {
  const { status, retryAfterMs: asked } = answer;
  if (status !== 429 && !(status >= 500 && asked !== undefined)) return undefined;
  const pause = (asked ?? 1000) + 250 * random; // all who were turned away come back at different moments
  return tries < MAX_TRIES && pause < leftMs ? pause : undefined;
}
