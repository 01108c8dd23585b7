import { type DataObject, filesOf } from "../files_of.ts";
import { LoaderFailure } from "../failure.ts";
import type { NamedSource } from "../source.ts";
import type { SourceState } from "../source_state.ts";
import { follow, type Followed, type FollowOptions, type Read } from "./follow.ts";

/** Path of one object. */
function objectPath({ kind, namespace, name }: NamedSource): string {
  return `/api/v1/namespaces/${namespace}/${kind}s/${name}`;
}

/** One object by its name; needs no right but `get`, and `watch` on that name. */
export function objectSource(source: NamedSource & { readonly id: string }, server: FollowOptions["server"]): Followed {
  const { kind, namespace, name } = source;
  const present = (object: DataObject): SourceState => ({ kind: "present", objects: [filesOf(object, source)] });
  return {
    id: source.id,
    watchPath: `/api/v1/namespaces/${namespace}/${kind}s?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`,
    async read(signal): Promise<Read> {
      try {
        const object = await server.get(objectPath(source), signal) as DataObject; // what the API server serves there
        return { state: present(object), resourceVersion: object.metadata?.resourceVersion ?? "" };
      } catch (thrown) {
        if (!(thrown instanceof LoaderFailure && thrown.kind === "missing")) throw thrown;
        return { state: { kind: "missing" }, resourceVersion: "" };
      }
    },
    changed: (type, object) => type === "DELETED" ? { kind: "missing" } : present(object as DataObject),
  };
}

/** Follows one object until the signal comes. */
export async function followObject(
  source: NamedSource & { readonly id: string },
  options: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  await follow(objectSource(source, options.server), options, signal);
}
