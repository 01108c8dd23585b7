import { errorMessage } from "../../base/mod.ts";
import { type Deployment, isWorkingOperator } from "../../migrate/older/mod.ts";
import type { KubeConnection } from "../../store/kubernetes/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** As MARIN3R's manifests and bundles call it. */
const NAME = "marin3r-controller-manager";

/**
 * Says which of MARIN3R's operators works in the namespaces that are looked after, in all of them when there are none; nothing where
 * nobody can tell. Their Lease is ours, but it counts only in one namespace, and not for certificates.
 */
export async function olderOperator(
  namespaces: readonly string[],
  { connection, log }: { readonly connection: Pick<KubeConnection, "request">; readonly log: Logger },
): Promise<string | undefined> {
  const paths = namespaces.length === 0 ? [""] : namespaces.map((namespace) => `/namespaces/${namespace}`);
  const found: Deployment[] = [];
  for (const path of paths) {
    try {
      const response = await connection.request(`/apis/apps/v1${path}/deployments`, {
        doing: "look for an operator of MARIN3R",
        query: { fieldSelector: `metadata.name=${NAME}` },
      });
      const { items } = await response.json() as { items: readonly Deployment[] }; // a DeploymentList
      found.push(...items);
    } catch (thrown) {
      log.debug("Cannot see whether an operator of MARIN3R works here", { error: errorMessage(thrown) });
    }
  }
  const older = found.find(isWorkingOperator)?.metadata;
  return older && "MARIN3R's operator works here, and two operators undo each other's work: " +
      `Deployment ${older.namespace}/${older.name} has to be scaled to 0`;
}
