import type { OwnerReference } from "../api/mod.ts";
import { canonicalJson } from "../base/mod.ts";
import { podTemplatePath } from "../inject/mod.ts";
import { controllerOf } from "../reconcile/engine/mod.ts";
import type { LiveObject, Pod, PodSpec } from "./pod.ts";

/** Who makes a pod anew: the last in the row of its owners that is known. */
export type PodOwner = Pick<OwnerReference, "apiVersion" | "kind" | "name">;

/** What a pod is made from. */
interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

/** Label of the pods and ReplicaSets of a Deployment: which template they have. */
const TEMPLATE_HASH = "pod-template-hash";
/** The template of a DaemonSet by number, and the number that a pod was made from. */
const GENERATION = {
  ofWorkload: "deprecated.daemonset.template.generation",
  ofPod: "pod-template-generation",
} as const;

/** What is known of the owners of pods: ReplicaSets, Deployments, DaemonSets, StatefulSets. */
export class Owners {
  readonly #objects: ReadonlyMap<string, LiveObject>;

  constructor(objects: readonly LiveObject[]) {
    this.#objects = new Map(objects.map((one) => [keyOf(one.metadata.namespace, { ...one, ...one.metadata }), one]));
  }

  /** `undefined` for a pod that nobody makes anew. */
  of(pod: Pod): PodOwner | undefined {
    const own = controllerOf(pod);
    if (!own) return undefined;
    const maker = this.#at(pod, own);
    const { apiVersion, kind, name } = (maker && controllerOf(maker)) ?? own;
    return { apiVersion, kind, name };
  }

  /** What the nearest owner of a pod makes its pods from; `undefined` where that is not known. */
  templateOf(pod: Pod): Template | undefined {
    const own = controllerOf(pod);
    return templateIn(own && this.#at(pod, own));
  }

  /** The Deployment or DaemonSet of a pod, and whether its template has changed since the pod was made. */
  workloadOf(
    pod: Pod,
  ): { readonly object: LiveObject; readonly template: Template; readonly changed: boolean } | undefined {
    const owner = this.of(pod);
    const object = owner && this.#at(pod, owner);
    const template = templateIn(object);
    if (!object || !template) return undefined;
    const { annotations = {} } = object.metadata;
    const changed = object.kind === "DaemonSet"
      ? annotations[GENERATION.ofWorkload] !== pod.metadata.labels?.[GENERATION.ofPod]
      : contentOf(this.templateOf(pod)) !== contentOf(template);
    return { object, template, changed };
  }

  #at({ metadata: { namespace } }: Pod, owner: PodOwner): LiveObject | undefined {
    return this.#objects.get(keyOf(namespace, owner));
  }
}

function keyOf(namespace: string | undefined, { apiVersion, kind, name }: PodOwner): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}

function templateIn(object: LiveObject | undefined): Template | undefined {
  const path = object && podTemplatePath(object.apiVersion, object.kind);
  return path?.reduce<unknown>((found, step) => (found as Record<string, unknown>)[step], object) as
    | Template
    | undefined; // by its kind
}

/** What a Deployment goes by when it looks which of its ReplicaSets is the present one. */
function contentOf(template: Template | undefined): string {
  const { [TEMPLATE_HASH]: _, ...labels } = template?.metadata?.labels ?? {};
  return canonicalJson({ ...template, metadata: { ...template?.metadata, labels } });
}
