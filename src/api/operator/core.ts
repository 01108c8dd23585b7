import Type from "typebox";
import * as CORE from "./core_schemas.ts";

/** A value of one of Kubernetes' own types that we hand on as it is; the API server checks it where it ends up. */
export type CoreValue = Readonly<Record<string, unknown>>;

/** One of Kubernetes' own types as a field of ours, with all its fields. */
function embedded(schema: object, description: string) {
  return Type.Optional(Type.Unsafe<CoreValue>({ ...schema, description }));
}

function embeddedList(schema: object, description: string) {
  return Type.Optional(Type.Unsafe<readonly CoreValue[]>({ type: "array", items: schema, description }));
}

/** Amounts of a container. */
export function resources(whose: string) {
  return embedded(CORE.ResourceRequirements, `Amounts that ${whose} asks for and may use`);
}

/** Labels or annotations. */
export function textMap(description: string) {
  return Type.Optional(Type.Unsafe<Readonly<Record<string, string>>>({
    type: "object",
    additionalProperties: { type: "string" },
    description,
  }));
}

/** A text that says something; a stored one that does not may stay. */
export function notEmpty(field: string, options: { maxLength: number; description: string }) {
  return Type.String({
    ...options,
    "x-kubernetes-validations": [{ rule: "self != ''", message: `${field} must not be empty` }],
  });
}

/** A whole number between 1 and 65535. */
export function port(description: string) {
  return Type.Optional(Type.Integer({ minimum: 1, maximum: 65535, format: "int32", description }));
}

/** A duration as Go writes it, such as `26280h` or `1h30m`. */
export function duration(description: string) {
  return Type.Optional(Type.String({
    maxLength: 64,
    pattern: String.raw`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`,
    description,
  }));
}

/** Where and how pods run, the same for every kind of ours that makes pods (O4). */
export const POD_FIELDS = {
  affinity: embedded(CORE.Affinity, "Which nodes the pods prefer or need"),
  tolerations: embeddedList(CORE.Toleration, "Taints of nodes that the pods bear"),
  nodeSelector: textMap("Labels that a node must have"),
  topologySpreadConstraints: embeddedList(
    CORE.TopologySpreadConstraint,
    "How the pods are spread; when unset, over nodes where that is possible",
  ),
  podAnnotations: textMap("Annotations of the pods"),
  podLabels: textMap("Further labels of the pods; those that select them cannot be changed"),
  podPriorityClass: Type.Optional(Type.String({ maxLength: 253, description: "Priority class of the pods" })),
  imagePullSecrets: embeddedList(CORE.LocalObjectReference, "Secrets for pulling the images"),
  podSecurityContext: embedded(
    CORE.PodSecurityContext,
    "Security context of the pods; goes before our own, field by field",
  ),
  securityContext: embedded(
    CORE.SecurityContext,
    "Security context of every container; goes before our own, field by field",
  ),
} as const;

/** What a pod disruption budget allows. */
export const podDisruptionBudget = Type.Optional(
  Type.Object({
    minAvailable: Type.Optional(Type.Unsafe<number | string>({
      "x-kubernetes-int-or-string": true,
      description: "So many pods, or such a share of them, stay",
    })),
    maxUnavailable: Type.Optional(Type.Unsafe<number | string>({
      "x-kubernetes-int-or-string": true,
      description: "So many pods, or such a share of them, may go",
    })),
  }, {
    description: "How many pods may be taken away at a time",
    "x-kubernetes-validations": [{
      rule: "!(has(self.minAvailable) && has(self.maxUnavailable))",
      message: "only one of minAvailable and maxUnavailable may be set",
    }],
  }),
);

/** The state of the Deployment that was made, as its own status tells it. */
export const deploymentStatus = embedded(CORE.DeploymentStatus, "Status of the Deployment that was made");

/** What a HorizontalPodAutoscaler looks at, and how fast it moves. */
export const AUTOSCALING_FIELDS = {
  metrics: embeddedList(CORE.MetricSpec, "What decides how many there are"),
  behavior: embedded(CORE.HorizontalPodAutoscalerBehavior, "How fast their number changes"),
} as const;
