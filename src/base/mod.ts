/**
 * Words without a field: what every folder may use. Free of libraries and of `node:`, so that the in-pod agents stay small;
 * YAML and hashing have doors of their own (`base/yaml/mod.ts`, `base/hash/mod.ts`).
 * @module
 */
export { backoffDelay, type BackoffOptions } from "./backoff.ts";
export { canonicalJson, type Json } from "./canonical_json.ts";
export type { Clock } from "./clock.ts";
export { ChanceryError, type ErrorCode, errorMessage, type ErrorOptions, isRetryable } from "./error.ts";
export {
  type Finding,
  formatFinding,
  formatPath,
  hasErrors,
  type PathSegment,
  type Severity,
  type SourcePosition,
} from "./finding.ts";
export { ManualClock } from "./manual_clock.ts";
export { formatKey, type ObjectKey, parseKey } from "./object_key.ts";
export { suggest } from "./suggest.ts";
export { systemClock } from "./system_clock.ts";
export { bytesUntil } from "./bytes_until.ts";
export { wait, type WaitOptions } from "./wait.ts";
