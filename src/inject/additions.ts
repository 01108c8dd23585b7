import { isObject, type JsonObject, listIn, objectIn } from "./json.ts";

/** What a pod gets; nothing that it has is taken away. */
export interface Additions {
  /** Each behind those that are there. */
  readonly initContainers: readonly JsonObject[];
  readonly containers: readonly JsonObject[];
  readonly volumes: readonly JsonObject[];
  /** `undefined`: what the pod says stays. */
  readonly gracePeriodSeconds: number | undefined;
  /** The preStop hooks of containers that have none, by their index. */
  readonly hooks: readonly {
    readonly list: "initContainers" | "containers";
    readonly index: number;
    readonly preStop: JsonObject;
  }[];
}

/** One step of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: "add";
  readonly path: string;
  readonly value: unknown;
}

const LISTS = ["initContainers", "containers", "volumes"] as const;

/** The pod with what it gets; every field that is there stays, known or not (C10). */
export function addTo(pod: JsonObject, additions: Additions): JsonObject {
  const spec: Record<string, unknown> = { ...objectIn(pod, "spec") };
  for (const { list, index, preStop } of additions.hooks) {
    const containers = [...listIn(spec, list)];
    const container = containers[index] as JsonObject; // whoever plans hooks has looked at it
    containers[index] = { ...container, lifecycle: { ...objectIn(container, "lifecycle"), preStop } };
    spec[list] = containers;
  }
  for (const list of LISTS) {
    if (additions[list].length > 0) spec[list] = [...listIn(spec, list), ...additions[list]];
  }
  if (additions.gracePeriodSeconds !== undefined) spec.terminationGracePeriodSeconds = additions.gracePeriodSeconds;
  return { ...pod, spec };
}

/** The same as a patch that names nothing but what is added. */
export function patchFor(pod: JsonObject, additions: Additions): PatchOperation[] {
  const spec = objectIn(pod, "spec");
  const operations: PatchOperation[] = [];
  const add = (path: string, value: unknown) => operations.push({ op: "add", path: `/spec/${path}`, value });
  for (const { list, index, preStop } of additions.hooks) {
    const has = isObject((listIn(spec, list)[index] as JsonObject).lifecycle); // as above
    if (has) add(`${list}/${index}/lifecycle/preStop`, preStop);
    else add(`${list}/${index}/lifecycle`, { preStop });
  }
  for (const list of LISTS) {
    if (additions[list].length === 0) continue;
    if (Array.isArray(spec[list])) { for (const one of additions[list]) add(`${list}/-`, one); }
    else add(list, additions[list]);
  }
  if (additions.gracePeriodSeconds !== undefined) add("terminationGracePeriodSeconds", additions.gracePeriodSeconds);
  return operations;
}
