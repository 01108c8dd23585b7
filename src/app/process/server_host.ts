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
}

/** A log on standard error. */
export function processLogger({ logFormat, logLevel }: LogOptions, host: ServerHost): Logger {
  const format = logFormat === "auto" ? host.terminal.err ? "console" : "json" : logFormat;
  return createLogger({
    format,
    level: logLevel,
    color: host.color.err,
    now: Date.now,
    write: (line) => host.err(line),
  });
}
