import { API_VERSION, LABELS, LEGACY_FINALIZER } from "../../api/mod.ts";
import { shortHash } from "../../base/hash/mod.ts";
import type { CompiledSpec } from "../../snapshot/mod.ts";
import { keyOf, type StatedObject, type WatchedObject } from "../engine/object_source.ts";

const API = "v3";
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The value of the node id's label: the node id itself, or `<slug>-<hash8>` where it is no label value. */
export function nodeIdLabel(nodeId: string): string {
  return LABEL_VALUE.test(nodeId) ? nodeId : slug(nodeId);
}

/** `<node id>-v3-<version>`, for people only; node ids that cannot stand in a name as `<slug>-<hash8>`. */
export function revisionName(nodeId: string, version: string): string {
  const plain = OBJECT_NAME.test(nodeId) && LABEL_VALUE.test(nodeId);
  return `${plain ? nodeId : slug(nodeId)}-${API}-${version}`;
}

function slug(nodeId: string): string {
  const words = nodeId.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 50).replace(/^-+|-+$/g, "");
  return `${words || "node"}-${shortHash(nodeId, 8)}`;
}

/** What is stated of a revision when it is made: all but its status, which starts empty. */
export interface RevisionObject extends StatedObject {
  readonly apiVersion: string;
  readonly kind: "EnvoyConfigRevision";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly uid: string;
      readonly controller: boolean;
      readonly blockOwnerDeletion: boolean;
    }[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * The revision object of what an EnvoyConfig wants. No finalizer: nothing keeps it when its owner goes (W7). One that is stored
 * and has another owner is taken over only as it is `known`.
 */
export function revisionObject(
  owner: WatchedObject,
  { nodeId, version, items }: CompiledSpec,
  known?: WatchedObject,
): RevisionObject {
  const { namespace, name } = keyOf(owner);
  const { uid, resourceVersion } = known?.metadata.name === revisionName(nodeId, version) ? known.metadata : {};
  return {
    apiVersion: API_VERSION,
    kind: "EnvoyConfigRevision",
    metadata: {
      name: revisionName(nodeId, version),
      namespace,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      labels: {
        [LABELS.nodeId]: nodeIdLabel(nodeId),
        [LABELS.configVersion]: version,
        [LABELS.envoyApi]: API,
      },
      ownerReferences: [{
        apiVersion: API_VERSION,
        kind: owner.kind,
        name,
        uid: owner.metadata.uid ?? "",
        controller: true,
        blockOwnerDeletion: true,
      }],
    },
    spec: { nodeID: nodeId, envoyAPI: API, version, resources: items.map(({ item }) => item) },
  };
}

/** Revisions that carry the finalizer of an older program, without which they could never go (W7). */
export function finalizedRevisions(revisions: readonly { readonly object: WatchedObject }[]): WatchedObject[] {
  return revisions.map(({ object }) => object).filter(({ metadata }) =>
    metadata.finalizers?.includes(LEGACY_FINALIZER)
  );
}
