import type { OptionTable } from "../option.ts";

/** How Envoys are served, wherever their configuration comes from. */
export const SERVING_OPTIONS = {
  onDelete: {
    type: "choice",
    choices: ["keep", "empty"],
    default: "keep",
    help: "What connected Envoys get when their EnvoyConfig goes away",
  },
  removalDelay: {
    type: "duration",
    default: "60s",
    help: "How long a removed cluster stays for connections that listeners still drain",
  },
  drainTimeout: { type: "duration", default: "5s", help: "How long the end of the process waits for open streams" },
} as const satisfies OptionTable;

/** By which names the admin interface answers. */
export const ADMIN_HOST_OPTIONS = {
  adminHost: {
    type: "text",
    value: "NAME",
    list: true,
    help: "Name, besides IP addresses and localhost, by which the admin interface may be asked",
  },
} as const satisfies OptionTable;
