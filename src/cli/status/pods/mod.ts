import type { CliContext } from "../../command.ts";
import { UsageError } from "../../exit_code.ts";
import type { ConnectionValues } from "../../source/connection.ts";
import { clusterFlags } from "../../source/connection.ts";
import { type PodsValues, runPods } from "./run.ts";

/** Runs `chancery status pods` for the cluster that the options mean; there are no pods of a standalone. */
export async function statusPods(
  values: PodsValues & ConnectionValues,
  context: CliContext,
  words: readonly string[],
): Promise<number> {
  const { server, kubeconfig, context: cluster } = values;
  if (server !== undefined) throw new UsageError("Cannot ask a standalone for pods: --server goes without pods");
  const { openPods } = await import("../../../app/pods/mod.ts");
  await using source = await openPods({ kubeconfig, context: cluster, env: (name) => context.env(name) });
  return await runPods(values, { source, flags: clusterFlags(values), context, words });
}
