import { LEGACY_FINALIZER } from "../../api/mod.ts";
import { MESH_FINALIZER } from "../../api/virtual_service/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import { finalizersOf, type KubeObject, objectTitle } from "../../install/mod.ts";
import type { ClusterObjects } from "./cluster_objects.ts";

/** Of MARIN3R and l7mp-xds-operator: nobody needs them any more, and whoever takes them off goes with the rest. */
const UNNEEDED: readonly string[] = [LEGACY_FINALIZER, MESH_FINALIZER];
/** So many objects that are in the way are named. */
const MAX_NAMED = 5;

interface Definition {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly { readonly name: string }[];
}

/** The objects of a kind; `undefined` for what defines no kind, and for who may not list them. */
export async function objectsOfKind(
  { kind, spec }: KubeObject,
  cluster: ClusterObjects,
): Promise<readonly KubeObject[] | undefined> {
  if (kind !== "CustomResourceDefinition") return undefined;
  const { group, names, versions: [version] } = spec as Definition; // by its kind
  try {
    return await cluster.list({ apiVersion: `${group}/${version?.name}`, kind: names.kind });
  } catch (thrown) {
    if (thrown instanceof ChanceryError && ["forbidden", "not-found"].includes(thrown.code)) return undefined;
    throw thrown;
  }
}

/** Takes the finalizers that nobody needs off the objects of a kind that goes. Gives the objects that others hold on to. */
export async function releaseObjects(crd: KubeObject, cluster: ClusterObjects): Promise<readonly KubeObject[]> {
  const held: KubeObject[] = [];
  for (const object of await objectsOfKind(crd, cluster) ?? []) {
    const finalizers = finalizersOf(object).filter((name) => !UNNEEDED.includes(name));
    if (finalizers.length < finalizersOf(object).length) {
      await cluster.setFinalizers(object, finalizers).catch((thrown) => {
        if (!(thrown instanceof ChanceryError && thrown.code === "conflict")) throw thrown; // else at the next look
      });
    }
    if (finalizers.length > 0) held.push(object);
  }
  return held;
}

/** Which finalizers hold on to objects, and what to type when nobody takes them off any more. */
export function heldText(held: readonly KubeObject[]): string {
  const lines = held.slice(0, MAX_NAMED).map((object) =>
    `  ${objectTitle(object)} waits for ${finalizersOf(object).map((name) => JSON.stringify(name)).join(", ")}`
  );
  const [first] = held;
  if (!first) return "";
  const { apiVersion, kind, metadata: { name, namespace = "default" } } = first;
  const patch =
    `kubectl patch ${kind.toLowerCase()}.${apiVersion.split("/")[0]} ${name} -n ${namespace} --type=merge ` +
    `-p '{"metadata":{"finalizers":null}}'`;
  const more = held.length > MAX_NAMED ? [`  and ${held.length - MAX_NAMED} more`] : [];
  return [...lines, ...more, `Next: ${patch}  # when nobody takes them off any more`].map((line) => `\n${line}`).join(
    "",
  );
}
