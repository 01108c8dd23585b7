import { createLogger, type Logger, type LogLevel } from "../../telemetry/mod.ts";

/** What a server needs of the process around it. */
export interface ServerHost {
  env(name: string): string | undefined;
  /** Gets log lines. */
  err(text: string): void;
  readonly color: { readonly err: boolean };
  readonly terminal: { readonly err: boolean };
  /** Versions to show. */
  readonly version: string;
  readonly envoyApi: string;
}

/** How a server is to log; the command line's table makes it. */
export interface LogOptions {
  readonly logFormat: "auto" | "json" | "console";
  readonly logLevel: LogLevel;
  /** MARIN3R's switch: everything, and in the form for people where none is asked for. */
  readonly debug?: boolean;
}

/** A log on standard error. */
export function processLogger({ logFormat, logLevel, debug = false }: LogOptions, host: ServerHost): Logger {
  const format = logFormat === "auto" ? debug || host.terminal.err ? "console" : "json" : logFormat;
  return createLogger({
    format,
    level: debug ? "debug" : logLevel,
    color: host.color.err,
    now: Date.now,
    write: (line) => host.err(line),
  });
}
