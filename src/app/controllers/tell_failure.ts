import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** Logs what could not be done about an object. */
export function tellFailure(
  log: Logger,
): (about: ObjectKey, failure: { message: string; retryInMs?: number }) => void {
  return (about, { message, retryInMs }) =>
    log.warn("Cannot bring an object to what it should be", {
      about: formatKey(about),
      error: message,
      ...(retryInMs !== undefined && { retryInMs: Math.round(retryInMs) }),
    });
}
