import type { ApiObject, OwnerReference } from "../../api/mod.ts";
import { OPERATOR_ANNOTATIONS, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";

type Metadata = ApiObject["metadata"];

/** The reference by which an object goes with the object that it was made for. */
export function controllerReference(owner: ApiObject): OwnerReference {
  const { name, uid = "" } = owner.metadata;
  return {
    ...{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid },
    ...{ controller: true, blockOwnerDeletion: true },
  };
}

/** Who controls an object, if anybody does. */
export function controllerOf({ ownerReferences = [] }: Metadata): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller);
}

/**
 * Whether a Secret was made for a certificate: by its controller, or, where a restored backup has lost that, by our annotation.
 */
export function isSecretOf(secret: Metadata, certificate: ApiObject): boolean {
  const controller = controllerOf(secret);
  if (controller) return isOwner(controller, certificate);
  return secret.annotations?.[OPERATOR_ANNOTATIONS.certificate] === certificate.metadata.name;
}

/** Whether the reference that lets the Secret go with its certificate is missing. */
export function lacksReference(secret: Metadata, certificate: ApiObject): boolean {
  const controller = controllerOf(secret);
  return !controller || !isOwner(controller, certificate);
}

function isOwner(reference: OwnerReference, owner: ApiObject): boolean {
  return reference.uid === owner.metadata.uid && reference.kind === owner.kind &&
    reference.apiVersion.split("/")[0] === OPERATOR_API_VERSION.split("/")[0];
}
