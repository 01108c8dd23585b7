import type { Address } from "../../bootstrap/mod.ts";
import type { OptionTable } from "../option.ts";
import { KUBERNETES_OPTIONS } from "../options/kubernetes.ts";
import { shellWord } from "../text/clean.ts";

/** Where a standalone answers when nothing else is said; what `--admin-bind` and `--server` have in common. */
export const ADMIN_ADDRESS = "127.0.0.1:18080";

/** The options by which a verb finds whom to ask. */
export const CONNECTION = {
  server: {
    type: "address",
    value: "HOST:PORT",
    env: false,
    help: `Ask the admin interface of a standalone, usually at ${ADMIN_ADDRESS}`,
  },
  data: {
    type: "path",
    value: "DIR",
    help: "Ask a standalone on this machine, over the socket in its data directory",
  },
  ...KUBERNETES_OPTIONS,
} as const satisfies OptionTable;

/** The paragraph of every `--help` that says whom is asked. */
export const CONNECTION_HELP =
  "With --server or --data a standalone is asked, with --kubeconfig or --context a cluster: its EnvoyConfigs and their " +
  `revisions. With none of these, the standalone that answers at ${ADMIN_ADDRESS}; when none does, in a pod, and as kubectl ` +
  "chancery, the cluster that kubectl would ask.";

/** What has to be typed after a command to ask the same cluster again: empty, or beginning with a space. */
export function clusterFlags({ kubeconfig, context }: Pick<ConnectionValues, "kubeconfig" | "context">): string {
  const named = [["--kubeconfig", kubeconfig], ["--context", context]] as const;
  return named.map(([flag, value]) => value === undefined ? "" : ` ${flag} ${shellWord(value)}`).join("");
}

/** Help of `-n` where a name is needed. */
export const NAMESPACE_HELP = "Namespace of a NAME alone; default when absent, in a cluster that of the context";

/** What was given. */
export interface ConnectionValues {
  readonly server: Address | undefined;
  readonly data: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}
