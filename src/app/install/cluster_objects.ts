import { canonicalJson, ChanceryError } from "../../base/mod.ts";
import { type KubeObject, objectTitle } from "../../install/mod.ts";
import { ApiError, type KubeConnection } from "../../store/kubernetes/mod.ts";

/** Whoever installs owns what the manifests say, and takes it from others. */
const FIELD_MANAGER = "chancery-install";

/** What became of an object that was applied; the words are kubectl's. */
export type Applied = "created" | "configured" | "unchanged";

/** How the API server calls the objects of a kind. */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

interface ObjectList {
  /** Without `apiVersion` and `kind`, which those of lists lack. Of metadata alone an empty list is null. */
  readonly items: readonly (Pick<KubeObject, "metadata"> & Readonly<Record<string, unknown>>)[] | null;
  readonly metadata?: { readonly continue?: string };
}

/** Names, labels and annotations alone, in a list of the same form. */
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
/** Objects in one answer. */
const PAGE = 500;

/** Objects of any kind that an API server serves. */
export class ClusterObjects {
  readonly #connection: KubeConnection;
  readonly #lists = new Map<string, Promise<ResourceList | undefined>>();

  constructor(connection: KubeConnection) {
    this.#connection = connection;
  }

  /** `undefined` when the API server serves no such kind. */
  async resource({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): Promise<ResourceName | undefined> {
    const path = groupPath(apiVersion);
    const asked = this.#lists.get(path) ?? this.#missing<ResourceList>(path, `find out about ${apiVersion}`);
    this.#lists.set(path, asked);
    const list = await asked;
    const found = list?.resources.find((one) => one.kind === kind && !one.name.includes("/"));
    const group = apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
    return found && { group, plural: found.name, namespaced: found.namespaced };
  }

  /** The object as it is, or `undefined` when there is none, or no such kind. */
  async get(object: KubeObject): Promise<KubeObject | undefined> {
    const path = await this.#path(object);
    return path === undefined ? undefined : await this.#missing<KubeObject>(path, `get ${objectTitle(object)}`);
  }

  /**
   * All objects of a kind in all namespaces, with a label or any; none when the API server serves no such kind. Needs the permission to
   * list them. `metadataOnly`: what they hold is not asked for.
   */
  async list(
    kind: Pick<KubeObject, "apiVersion" | "kind">,
    { label, metadataOnly = false }: { readonly label?: string; readonly metadataOnly?: boolean } = {},
  ): Promise<readonly KubeObject[]> {
    const resource = await this.resource(kind);
    if (!resource) return [];
    const objects: KubeObject[] = [];
    for (let next: string | undefined = ""; next !== undefined;) {
      const response = await this.#connection.request(`${groupPath(kind.apiVersion)}/${resource.plural}`, {
        doing: `list ${kind.kind}s`,
        ...(metadataOnly && { headers: { accept: METADATA } }),
        query: {
          limit: PAGE,
          ...(label !== undefined && { labelSelector: label }),
          ...(next !== "" && { continue: next }),
        },
      });
      const { items, metadata } = await response.json() as ObjectList; // of the kind
      for (const item of items ?? []) objects.push({ ...item, apiVersion: kind.apiVersion, kind: kind.kind });
      next = metadata?.continue || undefined;
    }
    return objects;
  }

  /** The pods of a Deployment. */
  async podsOf({ metadata, spec }: KubeObject): Promise<readonly unknown[]> {
    const { selector } = spec as { selector: { matchLabels: Readonly<Record<string, string>> } }; // a Deployment of ours
    const labelSelector = Object.entries(selector.matchLabels).map(([key, value]) => `${key}=${value}`).join(",");
    const namespace = metadata.namespace ?? "default";
    const response = await this.#connection.request(`/api/v1/namespaces/${namespace}/pods`, {
      doing: `list pods in namespace "${namespace}"`,
      query: { labelSelector },
    });
    return (await response.json() as { items: readonly unknown[] }).items; // a PodList
  }

  /** Server-side apply. @throws {ChanceryError} `not-found` when the API server serves no such kind */
  async apply(object: KubeObject): Promise<Applied> {
    const [path, before] = await Promise.all([this.#path(object), this.get(object)]);
    if (path === undefined) throw noSuchKind(object);
    const response = await this.#connection.request(path, {
      method: "PATCH",
      doing: `apply ${objectTitle(object)}`,
      headers: { "content-type": "application/apply-patch+yaml" },
      query: { fieldManager: FIELD_MANAGER, force: true },
      body: JSON.stringify(object),
    });
    const after = await response.json() as KubeObject; // what was applied
    if (before === undefined) return "created";
    return contentOf(before) === contentOf(after) ? "unchanged" : "configured";
  }

  /** Whether there was something to remove. What belongs to it goes, too, a moment later. */
  async remove(object: KubeObject): Promise<boolean> {
    const path = await this.#path(object);
    if (path === undefined) return false;
    const removed = await this.#missing<unknown>(path, `delete ${objectTitle(object)}`, {
      method: "DELETE",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ propagationPolicy: "Background" }),
    });
    return removed !== undefined;
  }

  /** Leaves an object as it was read no other finalizers; nothing happens when it has gone meanwhile. */
  async setFinalizers(object: KubeObject, finalizers: readonly string[]): Promise<void> {
    const path = await this.#path(object);
    if (path === undefined) return;
    const { resourceVersion } = object.metadata as { resourceVersion?: string }; // it was read
    await this.#missing<unknown>(path, `take a finalizer off ${objectTitle(object)}`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ metadata: { resourceVersion, finalizers } }),
    });
  }

  async #path(object: KubeObject): Promise<string | undefined> {
    const resource = await this.resource(object);
    if (!resource) return undefined;
    const { namespace, name } = object.metadata;
    const within = resource.namespaced ? `/namespaces/${namespace ?? "default"}` : "";
    return `${groupPath(object.apiVersion)}${within}/${resource.plural}/${name}`;
  }

  /** An answer, or `undefined` when there is nothing at the path. */
  async #missing<T>(path: string, doing: string, options: object = {}): Promise<T | undefined> {
    try {
      const response = await this.#connection.request(path, { ...options, doing });
      return await response.json() as T; // what the API server keeps there
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 404) return undefined;
      throw thrown;
    }
  }
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** What an object says, without what others keep on noting about it. */
function contentOf({ metadata, status: _, ...content }: KubeObject): string {
  const { name, namespace, labels, annotations } = metadata;
  return canonicalJson({ ...content, metadata: { name, namespace, labels, annotations } });
}

/** Who brings the kinds that are not Kubernetes' own. */
const BRINGERS: Readonly<Record<string, string>> = {
  "monitoring.coreos.com": "the Prometheus operator brings it; or leave monitoring.enabled out",
  "cert-manager.io": "cert-manager.io brings it; or leave certManager.enabled out",
};

/** Says which kind the API server lacks, and who brings it. */
export function noSuchKind({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): ChanceryError {
  const bringer = BRINGERS[apiVersion.split("/")[0]!] ?? "a newer Kubernetes may be needed";
  return new ChanceryError(
    "not-found",
    `Cannot install a ${kind}: the API server serves no ${kind} of ${apiVersion} (${bringer})`,
  );
}
