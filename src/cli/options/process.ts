import { LOG_LEVELS } from "../../telemetry/mod.ts";
import type { OptionTable } from "../option.ts";

/** The options of every long-running role in a cluster; names and defaults are those of MARIN3R's global flags. */
export const PROCESS_OPTIONS = {
  metricsBindAddress: {
    type: "bind",
    default: ":8080",
    help: "Where /metrics answers: HOST:PORT, :PORT on all addresses, or 0 for nowhere",
  },
  healthProbeBindAddress: {
    type: "bind",
    default: ":8081",
    help: "Where /healthz and /readyz answer: HOST:PORT, :PORT on all addresses, or 0 for nowhere",
  },
  debug: { type: "flag", help: "Log more, and for people instead of machines" },
} as const satisfies OptionTable;

/** What a long-running role writes to standard error. */
export const LOG_OPTIONS = {
  logFormat: {
    type: "choice",
    choices: ["auto", "json", "console"],
    default: "auto",
    help: "Form of log lines; auto is console on a terminal",
  },
  logLevel: { type: "choice", choices: LOG_LEVELS, default: "info", help: "Least severity that is logged" },
} as const satisfies OptionTable;
