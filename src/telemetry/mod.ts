/**
 * What the program says of itself: log lines and metrics, one table each, and a wrapper for bytes that must not be said.
 * @module
 */
export { FindingLog, type OpenFinding } from "./finding_log.ts";
export { formatLine, type LogFormat, type LogRecord } from "./log_line.ts";
export { createLogger, LOG_LEVELS, type LogFields, type Logger, type LoggerOptions, type LogLevel } from "./logger.ts";
export {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  type MetricKind,
  type MetricName,
  METRICS,
  type Metrics,
  type MetricSpec,
} from "./metrics.ts";
export { REDACTED, Redacted } from "./redacted.ts";
