import type { OptionTable } from "../option.ts";
import { KUBERNETES_OPTIONS } from "./kubernetes.ts";

/** What installing and the other way round have in common. */
export const INSTALL_OPTIONS = {
  ...KUBERNETES_OPTIONS,
  namespace: {
    type: "text",
    value: "NAMESPACE",
    short: "n",
    default: "marin3r-system",
    env: false,
    help: "Namespace of operator and webhook",
  },
  set: {
    type: "text",
    value: "NAME=VALUE",
    list: true,
    whole: true,
    env: false,
    help: "A setting of those above",
  },
  timeout: { type: "duration", default: "5m", env: false, help: "How long to wait for all of it" },
} as const satisfies OptionTable;
