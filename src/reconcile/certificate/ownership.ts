import type { ApiObject } from "../../api/mod.ts";
import { OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import { controllerOf, isControlledBy } from "../engine/owned.ts";

/**
 * Whether a Secret was made for a certificate: by its controller, or, where a restored backup has lost that, or the certificate was
 * deleted and made again, by our annotation.
 */
export function isSecretOf(metadata: ApiObject["metadata"], certificate: ApiObject): boolean {
  const { name, namespace = "default" } = certificate.metadata;
  const controller = controllerOf({ metadata });
  if (controller && isControlledBy({ metadata }, certificate)) return true;
  if (controller && !(controller.kind === certificate.kind && controller.name === name)) return false;
  const madeFor = metadata.annotations?.[OPERATOR_ANNOTATIONS.certificate];
  return madeFor === name || madeFor === `${namespace}/${name}`;
}

/** Whether the reference that lets the Secret go with its certificate is missing. */
export function lacksReference(metadata: ApiObject["metadata"], certificate: ApiObject): boolean {
  return !isControlledBy({ metadata }, certificate);
}
