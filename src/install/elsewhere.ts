import { type KubeObject, objectTitle } from "./kube_object.ts";
import { installLabels } from "./names.ts";

interface Parts extends KubeObject {
  readonly subjects?: readonly { readonly namespace?: string }[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly webhooks?: readonly { readonly clientConfig?: { readonly service?: { readonly namespace: string } } }[];
}

/** Whether it can be told by an object itself whose it is. */
export function tellsWhose({ kind }: KubeObject): boolean {
  return /RoleBinding$|WebhookConfiguration$|^Namespace$/.test(kind);
}

/**
 * Why objects of these names must stay when an installation goes, by title: they belong to the installation of another namespace, whose
 * names are the same while nobody knows which namespaces this one has looked after, or to somebody else. `live` are those that are there.
 */
export function foreignObjects(
  removed: readonly KubeObject[],
  live: ReadonlyMap<string, KubeObject>,
): ReadonlyMap<string, string> {
  const foreign = new Map<string, string>();
  for (const object of removed) {
    const there = live.get(objectTitle(object));
    const why = there && whyForeign(object, there);
    if (!why) continue;
    foreign.set(objectTitle(object), why);
    const { apiVersion, roleRef, metadata: { namespace } } = object as Parts; // other kinds have none
    if (!roleRef) continue;
    const metadata = { name: roleRef.name, ...(roleRef.kind === "Role" && namespace !== undefined && { namespace }) };
    foreign.set(objectTitle({ apiVersion, kind: roleRef.kind, metadata }), why);
  }
  return foreign;
}

function whyForeign(object: KubeObject, there: KubeObject): string | undefined {
  if (object.kind === "Namespace") {
    const labels = there.metadata.labels ?? {};
    const isOurs = Object.entries(installLabels()).every(([name, value]) => labels[name] === value);
    return isOurs ? undefined : "it was there before";
  }
  const [ours, theirs] = [namespaceIn(object), namespaceIn(there)];
  return theirs === undefined || theirs === ours ? undefined : `it is of namespace ${JSON.stringify(theirs)}`;
}

/** Where the program is that an object is there for. */
function namespaceIn(object: KubeObject): string | undefined {
  const { subjects, webhooks } = object as Parts; // other kinds have neither
  return subjects?.[0]?.namespace ?? webhooks?.[0]?.clientConfig?.service?.namespace;
}
