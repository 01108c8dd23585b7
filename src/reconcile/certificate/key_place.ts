import { type ApiObject, AUTHORITY_LABEL } from "../../api/mod.ts";
import { KEY_LABELS, keySecretOf, nextSecretOf, OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import { formatKey, type ObjectKey } from "../../base/mod.ts";
import { controllerOf } from "../engine/owned.ts";

/**
 * Where the key of the CA of a discovery service is kept: not in the namespace that it signs for, where whoever may read Secrets or
 * start pods could make certificates for everybody, but in that of whoever looks after certificates (S3).
 */
export interface KeyPlace {
  /** The Secret of the CA, and that of the CA which is to follow. */
  readonly current: ObjectKey;
  readonly next: ObjectKey;
  /** The DiscoveryService that it goes with: it lies in another namespace, where no owner reference leads. */
  readonly owner: { readonly namespace: string; readonly name: string; readonly uid: string };
}

/** The place of the key of a CA; nothing for a CA that somebody has made for other things, whose key stays beside it. */
export function keyPlaceOf(authority: ApiObject, namespace: string | undefined): KeyPlace | undefined {
  const owner = controllerOf(authority);
  if (namespace === undefined || owner?.kind !== "DiscoveryService") return undefined;
  const { name, namespace: of = "default" } = authority.metadata;
  const secret = keySecretOf({ namespace: of, name });
  return {
    current: { kind: "Secret", namespace, name: secret },
    next: { kind: "Secret", namespace, name: nextSecretOf(secret) },
    owner: { namespace: of, name: owner.name, uid: owner.uid },
  };
}

/** What is stated of a Secret with a key, so that its CA and its end are found. */
export function keyMetadata(authority: ApiObject, { owner }: KeyPlace) {
  const { name, namespace = "default" } = authority.metadata;
  return {
    labels: { ...KEY_LABELS, ...AUTHORITY_LABEL },
    annotations: {
      [OPERATOR_ANNOTATIONS.certificate]: `${namespace}/${name}`,
      [OPERATOR_ANNOTATIONS.discoveryService]: `${owner.namespace}/${owner.name}`,
      [OPERATOR_ANNOTATIONS.discoveryServiceUid]: owner.uid,
    },
  };
}

/** Whether a Secret is one that we keep keys in, whosever they are. */
export function isKeySecret({ metadata: { labels = {} } }: Pick<ApiObject, "metadata">): boolean {
  return Object.entries(KEY_LABELS).every(([name, value]) => labels[name] === value);
}

/** The DiscoveryService that a key goes with, as its Secret tells. */
export function ownerOfKey({ metadata: { annotations = {} } }: Pick<ApiObject, "metadata">): KeyPlace["owner"] {
  const [namespace = "", name = ""] = (annotations[OPERATOR_ANNOTATIONS.discoveryService] ?? "").split("/");
  return { namespace, name, uid: annotations[OPERATOR_ANNOTATIONS.discoveryServiceUid] ?? "" };
}

/** A Secret as the annotation of another one names it. */
export function keyInText(key: ObjectKey): string {
  const [, ...rest] = formatKey(key).split("/");
  return rest.join("/");
}
