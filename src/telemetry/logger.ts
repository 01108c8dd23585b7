import { formatLine, type LogFormat } from "./log_line.ts";

/** From the most to the least talkative. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** Severity of a line. */
export type LogLevel = typeof LOG_LEVELS[number];

/** Named facts of a line. Values are plain: nothing that could hide secret bytes fits in. `undefined` is left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where the program says what it does. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with `fields` on every line. */
  with(fields: LogFields): Logger;
}

/** Options of {@linkcode createLogger}. */
export interface LoggerOptions {
  /** Default `json`. */
  readonly format?: LogFormat;
  /** Lines below this level are not written; default `info`. */
  readonly level?: LogLevel;
  /** Colors in the console format; default off. */
  readonly color?: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Gets each line with its line end. */
  readonly write: (line: string) => void;
}

/** A logger that writes lines to `options.write`. */
export function createLogger(options: LoggerOptions): Logger {
  return bind(options, {});
}

function bind(options: LoggerOptions, bound: LogFields): Logger {
  const least = LOG_LEVELS.indexOf(options.level ?? "info");
  function at(level: LogLevel): (message: string, fields?: LogFields) => void {
    if (LOG_LEVELS.indexOf(level) < least) return () => {};
    const { format = "json", color = false } = options;
    return (message, fields) =>
      options.write(
        formatLine({ time: options.now(), level, message, fields: { ...bound, ...fields } }, { format, color }),
      );
  }
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => bind(options, { ...bound, ...fields }),
  };
}
