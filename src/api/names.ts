/** The API group of everything users write for us. */
export const GROUP = "marin3r.3scale.net";

/** `apiVersion` of EnvoyConfig and EnvoyConfigRevision. */
export const API_VERSION = `${GROUP}/v1alpha1`;

/** The API group of what the operator makes things from. */
export const OPERATOR_GROUP = `operator.${GROUP}`;

/** `apiVersion` of the kinds of the operator. */
export const OPERATOR_API_VERSION = `${OPERATOR_GROUP}/v1alpha1`;

/** Labels that we write and find objects by. */
export const LABELS = {
  nodeId: `${GROUP}/node-id`,
  configVersion: `${GROUP}/config-version`,
  envoyApi: `${GROUP}/envoy-api`,
} as const;

/** On every Secret that we made with the key of a certificate authority: it is never served, whoever names it. */
export const AUTHORITY_LABEL = { [`${OPERATOR_GROUP}/certificate-authority`]: "true" } as const;

/** Annotations by which people steer us. */
export const ANNOTATIONS = {
  /** Clears the taint of the desired revision; any new value acts once (W17). */
  retry: `${GROUP}/retry`,
  /** Holds one version published until the spec changes. */
  pin: `${GROUP}/pin`,
} as const;

/**
 * On a webhook configuration: `Fail` when the API server shall refuse what it cannot ask about, which whoever looks after the webhook's
 * certificate sees to as soon as the webhook answers.
 */
export const FAILURE_POLICY_ANNOTATION = "chancery.dev/failure-policy";

/** Set by older programs on revisions. We never set it, only remove it (W7). */
export const LEGACY_FINALIZER = `finalizer.${GROUP}`;

/** The label by which Kubernetes ties an EndpointSlice to its Service. */
export const SERVICE_NAME_LABEL = "kubernetes.io/service-name";
