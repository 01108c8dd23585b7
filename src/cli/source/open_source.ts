import { join } from "node:path";
import { ChanceryError } from "../../base/mod.ts";
import { parseAddress } from "../../bootstrap/mod.ts";
import type { CliContext } from "../command.ts";
import { envOf } from "../option.ts";
import { UsageError } from "../exit_code.ts";
import { ADMIN_ADDRESS, CONNECTION, type ConnectionValues } from "./connection.ts";
import type { Source } from "./source.ts";

/** What {@linkcode chooseSource} looks at besides the options. */
export interface Surroundings extends Pick<CliContext, "env" | "program"> {
  /** Whether a standalone answers at the usual address. */
  standaloneAnswers(): Promise<boolean>;
  fileExists(path: string): boolean;
}

/** Whom to ask. `implied`: nobody said so, and messages have to tell. */
export type Choice =
  | { readonly kind: "standalone" }
  | { readonly kind: "cluster"; readonly implied: boolean };

/** The source that the options of a verb mean. Loads only what it needs. */
export async function openSource(values: ConnectionValues, context: CliContext): Promise<Source> {
  const choice = await chooseSource(values, {
    env: context.env,
    program: context.program,
    standaloneAnswers: async () =>
      await (await import("../../app/admin/client/mod.ts")).answers(parseAddress(ADMIN_ADDRESS)),
    fileExists,
  });
  if (choice.kind === "standalone") return (await import("./admin_source.ts")).adminSource(values);
  const { clusterSource } = await import("./cluster_source.ts");
  return await clusterSource(values, { env: context.env, implied: choice.implied });
}

/**
 * Decides whom to ask. Options decide; without any, in a pod the cluster, where what answers nearby is one replica of many.
 * Elsewhere a standalone goes first, as it runs only where somebody wants it, while many a machine has a kubeconfig.
 */
export async function chooseSource(values: ConnectionValues, around: Surroundings): Promise<Choice> {
  const { server, data, kubeconfig, context } = values;
  const fromEnv = data !== undefined && data === around.env(envOf("data", CONNECTION.data));
  const plugin = around.program === "kubectl chancery";
  if (kubeconfig !== undefined || context !== undefined) {
    if (server !== undefined || (data !== undefined && !fromEnv)) {
      throw new UsageError(
        "Cannot ask a standalone and a cluster: --server and --data go without --kubeconfig and --context",
      );
    }
    return { kind: "cluster", implied: false };
  }
  if (server !== undefined || (data !== undefined && !(plugin && fromEnv))) return { kind: "standalone" };
  if (plugin) return { kind: "cluster", implied: false };
  if (around.env("KUBERNETES_SERVICE_HOST")) return { kind: "cluster", implied: true };
  if (await around.standaloneAnswers()) return { kind: "standalone" };
  if (clusterIsKnown(around)) return { kind: "cluster", implied: true };
  throw new ChanceryError(
    "unavailable",
    `Cannot find whom to ask: no standalone answers at ${ADMIN_ADDRESS}, and there is no kubeconfig\n` +
      "Next: name a standalone by --data DIR or --server HOST:PORT, or a cluster by --kubeconfig FILE",
  );
}

/** Whether there is what kubectl would go by. */
function clusterIsKnown({ env, fileExists }: Surroundings): boolean {
  if (env("KUBECONFIG")) return true;
  const home = env("HOME") ?? env("USERPROFILE");
  return home !== undefined && fileExists(join(home, ".kube", "config"));
}

function fileExists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
