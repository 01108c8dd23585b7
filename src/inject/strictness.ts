import { isObject, type JsonObject, listIn, objectIn } from "./json.ts";

/** The user that Envoy's image has for it. */
const ENVOY_USER = 101;

/**
 * Security context of the injected containers (S6), as strict as the user's own: in a namespace that admits only
 * restricted pods
 * every container of the user is restricted, or the pod could not be; elsewhere nothing is taken from Envoy that it had.
 */
export function sidecarSecurity(pod: JsonObject): { restricted: boolean; securityContext: JsonObject } {
  const spec = objectIn(pod, "spec");
  const shared = objectIn(spec, "securityContext");
  const containers = [...listIn(spec, "initContainers"), ...listIn(spec, "containers")];
  const restricted = containers.length > 0 &&
    containers.every((container) => isRestricted(objectIn(container, "securityContext"), shared));
  if (!restricted) return { restricted, securityContext: {} };
  return {
    restricted,
    securityContext: {
      runAsNonRoot: true,
      ...(hasUser(pod, shared) ? {} : { runAsUser: ENVOY_USER, runAsGroup: ENVOY_USER }),
      seccompProfile: { type: "RuntimeDefault" },
    },
  };
}

/** By the levels of Kubernetes' Pod Security Standards. */
function isRestricted(own: JsonObject, shared: JsonObject): boolean {
  const seccomp = objectIn({ ...shared, ...own }, "seccompProfile").type;
  return own.allowPrivilegeEscalation === false &&
    (own.runAsNonRoot ?? shared.runAsNonRoot) === true &&
    (seccomp === "RuntimeDefault" || seccomp === "Localhost") &&
    listIn(objectIn(own, "capabilities"), "drop").includes("ALL");
}

/** Whether pod or platform say who runs it; OpenShift gives each namespace users of its own and marks the pods. */
function hasUser(pod: JsonObject, shared: JsonObject): boolean {
  const annotations = objectIn(objectIn(pod, "metadata"), "annotations");
  return (isObject(shared) && shared.runAsUser !== undefined) || annotations["openshift.io/scc"] !== undefined;
}
