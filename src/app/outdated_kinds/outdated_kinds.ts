import { type KindDefinition, lostFields, type ServedSchema } from "../../api/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { KubeConnection } from "../../store/kubernetes/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** Most fields that one line names. */
const MAX_NAMED = 8;

interface OpenApi {
  readonly components?: {
    readonly schemas?: Readonly<
      Record<string, ServedSchema & { readonly [GVK]?: readonly { readonly kind: string }[] }>
    >;
  };
}

const GVK = "x-kubernetes-group-version-kind";

/**
 * Warns of each kind whose CRD is of an earlier version: what is written into fields that it lacks is dropped without a word. Asks for
 * what everybody may read, once; a cluster that does not answer is told by others.
 */
export async function tellOutdatedKinds(
  kinds: readonly KindDefinition[],
  { connection, log }: { readonly connection: Pick<KubeConnection, "request">; readonly log: Logger },
): Promise<void> {
  const byVersion = Map.groupBy(kinds, ({ group, version }) => `${group}/${version}`);
  for (const [version, some] of byVersion) {
    try {
      const response = await connection.request(`/openapi/v3/apis/${version}`, {
        doing: `read the schemas of ${version}`,
      });
      const { components } = await response.json() as OpenApi; // a document of OpenAPI
      const schemas = Object.values(components?.schemas ?? {});
      for (const kind of some) {
        const served = schemas.find((schema) => schema[GVK]?.some((one) => one.kind === kind.kind));
        const lost = served ? lostFields(kind, served) : [];
        if (lost.length > 0) {
          log.warn("The CRD in the cluster is of another version and drops fields; chancery crd prints today's", {
            kind: kind.kind,
            fields: lost.slice(0, MAX_NAMED).join(", "),
            more: Math.max(0, lost.length - MAX_NAMED),
          });
        }
      }
    } catch (thrown) {
      log.debug("Cannot compare the CRDs of the cluster with ours", { version, error: errorMessage(thrown) });
    }
  }
}
