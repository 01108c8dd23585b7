import { ChanceryError } from "../../base/mod.ts";
import type { KubeObject } from "../../install/mod.ts";
import type { KubeConnection } from "../../store/kubernetes/mod.ts";
import { type ClusterObjects, noSuchKind } from "./cluster_objects.ts";

/** One thing that has to be allowed. */
interface Need {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
}

/** Requests that are under way at a time. */
const CONCURRENCY = 8;

/**
 * Finds out before anything is done whether all of it may be done.
 * @throws {ChanceryError} that names every right that is missing, or every kind
 */
export async function checkRights(
  objects: readonly KubeObject[],
  { connection, cluster, verbs }: {
    connection: KubeConnection;
    cluster: ClusterObjects;
    verbs: readonly string[];
  },
): Promise<void> {
  const needs = new Map<string, Need>();
  for (const object of objects) {
    const found = await cluster.resource(object);
    if (!found) throw noSuchKind(object);
    for (const verb of verbs) {
      const need = {
        verb,
        group: found.group,
        resource: found.plural,
        namespace: found.namespaced ? object.metadata.namespace ?? "default" : "",
      };
      needs.set(JSON.stringify(need), need);
    }
  }
  const left = [...needs.values()];
  const denied: Need[] = [];
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (let need = left.shift(); need; need = left.shift()) {
      if (!await mayDo(need, connection)) denied.push(need);
    }
  }));
  if (denied.length === 0) return;
  throw new ChanceryError("forbidden", `Cannot install: these rights are missing\n${linesOf(denied).join("\n")}`);
}

async function mayDo(need: Need, connection: KubeConnection): Promise<boolean> {
  const response = await connection.request("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    method: "POST",
    doing: "ask what may be done",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: need },
    }),
  });
  const { status } = await response.json() as { status?: { allowed?: boolean } }; // a SelfSubjectAccessReview
  return status?.allowed === true;
}

/** `  get, patch deployments.apps in namespace "x"`. */
function linesOf(denied: readonly Need[]): string[] {
  const verbs = new Map<string, string[]>();
  for (const { verb, group, resource, namespace } of denied) {
    const what = `${resource}${group === "" ? "" : `.${group}`}${
      namespace === "" ? "" : ` in namespace "${namespace}"`
    }`;
    verbs.set(what, [...verbs.get(what) ?? [], verb]);
  }
  return [...verbs].map(([what, some]) => `  ${some.sort().join(", ")} ${what}`).sort();
}
