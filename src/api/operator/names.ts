import { GROUP } from "../names.ts";

/** The API group of what the operator makes things from. */
export const OPERATOR_GROUP = `operator.${GROUP}`;

/** `apiVersion` of the kinds of the operator. */
export const OPERATOR_API_VERSION = `${OPERATOR_GROUP}/v1alpha1`;

/** Annotations by which people steer the operator. */
export const OPERATOR_ANNOTATIONS = {
  /** `true` on one of our objects: nothing that belongs to it is written until it is taken away. */
  paused: `${OPERATOR_GROUP}/paused`,
  /** On the Secret of a CA: the other namespaces that may have certificates signed by it, or `*` (S8). */
  allowIssuingTo: `${GROUP}/allow-issuing-to`,
  /** On the certificate of a CA: any new value has the CA changed. */
  rotate: `${OPERATOR_GROUP}/rotate`,
  /** On the certificate of a CA: fingerprints of earlier CAs that shall not be trusted any more, separated by commas. */
  distrust: `${OPERATOR_GROUP}/distrust`,
  /** On a Deployment that we made: the hash of the server certificate that is in use. */
  serverCertificateHash: `${GROUP}/server-certificate-hash`,
} as const;
