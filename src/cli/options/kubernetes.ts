import type { OptionTable } from "../option.ts";

/** How a command finds its API server; without them the environment, the cluster it runs in, and the user's own file say so. */
export const KUBERNETES_OPTIONS = {
  kubeconfig: {
    type: "path",
    value: "FILE",
    env: false,
    help: "Kubeconfig, instead of that of $KUBECONFIG, of the pod this runs in, or ~/.kube/config",
  },
  context: { type: "text", value: "NAME", env: false, help: "Context of the kubeconfig, instead of its current one" },
} as const satisfies OptionTable;

/** Which namespaces a long-running role looks at. */
export const WATCH_OPTIONS = {
  watchNamespace: {
    type: "text",
    value: "NAME",
    list: true,
    env: "WATCH_NAMESPACE",
    help: "Namespaces to look at; all of them when there is none",
  },
} as const satisfies OptionTable;
