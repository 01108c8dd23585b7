import { ChanceryError, type ErrorCode, errorMessage } from "../../base/mod.ts";
import type { CallStatus } from "../call.ts";

/** gRPC status codes in use here: https://grpc.io/docs/guides/status-codes/ */
export const OK = 0;
export const INVALID_ARGUMENT = 3;
export const NOT_FOUND = 5;
export const PERMISSION_DENIED = 7;
const ABORTED = 10;
export const UNIMPLEMENTED = 12;
export const INTERNAL = 13;
export const UNAVAILABLE = 14;

const CODES: Readonly<Record<ErrorCode, number>> = {
  "invalid-input": INVALID_ARGUMENT,
  "not-found": NOT_FOUND,
  "forbidden": PERMISSION_DENIED,
  "conflict": ABORTED,
  "unavailable": UNAVAILABLE,
  "internal": INTERNAL,
};

/** Status text goes into a header of limited size, percent-encoded. */
const MAX_DETAILS = 1_000;

/**
 * The status that ends a stream on which something was thrown. Whatever is not an error of this project came out of reading the
 * request (a cut-off field, a wrong wire type), except for the kinds of error that only a mistake in the program raises.
 */
export function statusOf(thrown: unknown): CallStatus {
  if (thrown instanceof ChanceryError) return { code: CODES[thrown.code], details: thrown.message };
  if (isProgramError(thrown)) return { code: INTERNAL, details: "Internal error" };
  return { code: INVALID_ARGUMENT, details: `Cannot read the request: ${errorMessage(thrown)}` };
}

/** Whether an operator should hear of it. */
export function isProgramError(thrown: unknown): boolean {
  return thrown instanceof TypeError || thrown instanceof ReferenceError ||
    (thrown instanceof ChanceryError && thrown.code === "internal");
}

/** Text that survives percent-encoding and fits into a header: no half surrogates, not too long. */
export function headerText(details: string): string {
  return details.slice(0, MAX_DETAILS).toWellFormed();
}
