import { type DataObject, filesOf } from "../files_of.ts";
import type { SourceFiles, SourceState } from "../source_state.ts";
import { follow, type Followed, type FollowOptions, type Read } from "./follow.ts";

/** All ConfigMaps of a namespace with certain labels; the one source that needs the right to `list`. */
export function selectorSource(
  { id, namespace, selector }: { readonly id: string; readonly namespace: string; readonly selector: string },
  server: FollowOptions["server"],
): Followed {
  const path = `/api/v1/namespaces/${namespace}/configmaps?labelSelector=${encodeURIComponent(selector)}`;
  const objects = new Map<string, SourceFiles>();
  const keep = (object: DataObject) =>
    objects.set(object.metadata?.name ?? "", filesOf(object, { kind: "configmap", folder: "" }));
  const state = (): SourceState => ({ kind: "present", objects: [...objects.values()] });
  return {
    id,
    watchPath: path,
    async read(signal): Promise<Read> {
      const list = await server.get(path, signal) as { // a ConfigMapList
        readonly metadata?: { readonly resourceVersion?: string };
        readonly items?: readonly DataObject[];
      };
      objects.clear();
      for (const item of list.items ?? []) keep(item);
      return { state: state(), resourceVersion: list.metadata?.resourceVersion ?? "" };
    },
    changed(type, object) {
      const changed = object as DataObject; // what the watch was for
      if (type === "DELETED") objects.delete(changed.metadata?.name ?? "");
      else keep(changed);
      return state();
    },
  };
}

/** Follows all ConfigMaps with certain labels until the signal comes. */
export async function followSelector(
  source: { readonly id: string; readonly namespace: string; readonly selector: string },
  options: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  await follow(selectorSource(source, options.server), options, signal);
}
