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
