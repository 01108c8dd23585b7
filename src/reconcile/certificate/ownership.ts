import type { ApiObject } from "../../api/mod.ts";
import { OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import { controllerOf, isControlledBy } from "../engine/owned.ts";

/**
 * Whether a Secret was made for a certificate: by its controller, or, where a restored backup has lost that, by our annotation.
 */
export function isSecretOf(metadata: ApiObject["metadata"], certificate: ApiObject): boolean {
  if (controllerOf({ metadata })) return isControlledBy({ metadata }, certificate);
  return metadata.annotations?.[OPERATOR_ANNOTATIONS.certificate] === certificate.metadata.name;
}

/** Whether the reference that lets the Secret go with its certificate is missing. */
export function lacksReference(metadata: ApiObject["metadata"], certificate: ApiObject): boolean {
  return !isControlledBy({ metadata }, certificate);
}
