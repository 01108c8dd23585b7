import Type, { type Static } from "typebox";
import type { Frozen } from "../frozen.ts";
import type { KindDefinition } from "../kind.ts";
import { type ApiObject, Condition } from "../metadata.ts";
import { ruleForChanges } from "../validation_rule.ts";
import {
  AUTOSCALING_FIELDS,
  deploymentStatus,
  duration,
  notEmpty,
  POD_FIELDS,
  podDisruptionBudget,
  port,
  resources,
  textMap,
} from "./core.ts";
import { OPERATOR_GROUP } from "./names.ts";

function image(whose: string) {
  return Type.Optional(Type.String({ maxLength: 1024, description: `Image of ${whose}; ours when unset` }));
}

/** Numbers of a probe; whoever gives one gives all. */
function probe(description: string) {
  const count = (minimum: number, what: string) => Type.Integer({ minimum, format: "int32", description: what });
  return Type.Optional(Type.Object({
    initialDelaySeconds: count(0, "Seconds before the first one"),
    timeoutSeconds: count(1, "Seconds until one counts as failed"),
    periodSeconds: count(1, "Seconds between two"),
    successThreshold: count(1, "So many in a row must succeed"),
    failureThreshold: count(1, "So many in a row must fail"),
  }, { description }));
}

const Port = Type.Object({
  name: Type.String({ description: "Name of the port" }),
  port: Type.Integer({ format: "int32", description: "Number of the port" }),
  protocol: Type.Optional(Type.String({ description: "TCP, UDP or SCTP; TCP when unset" })),
});

const replicas = Type.Optional(
  Type.Object({
    static: Type.Optional(Type.Integer({ minimum: 0, format: "int32", description: "So many, always" })),
    dynamic: Type.Optional(
      Type.Object({
        minReplicas: Type.Optional(
          Type.Integer({ minimum: 0, format: "int32", description: "At least so many; 1 when unset" }),
        ),
        maxReplicas: Type.Integer({ minimum: 1, format: "int32", description: "At most so many" }),
        ...AUTOSCALING_FIELDS,
      }, {
        description: "As many as a HorizontalPodAutoscaler finds right",
        "x-kubernetes-validations": [{
          rule: "!has(self.minReplicas) || self.minReplicas <= self.maxReplicas",
          message: "minReplicas must be at most maxReplicas",
        }],
      }),
    ),
  }, {
    description: "How many there are; 1 when unset",
    "x-kubernetes-validations": [{
      rule: "!(has(self.static) && has(self.dynamic))",
      message: "only one of static and dynamic may be set",
    }],
  }),
);

const service = Type.Optional(
  Type.Object({
    name: Type.Optional(
      Type.String({ maxLength: 63, description: "Name of the Service; that of the Deployment when unset" }),
    ),
    type: Type.Optional(Type.Enum(["ClusterIP", "Headless", "LoadBalancer", "NodePort"], {
      type: "string",
      description: "Type of the Service, ClusterIP when unset; Headless is ClusterIP without an address",
    })),
    annotations: textMap("Annotations of the Service"),
    labels: textMap("Further labels of the Service"),
    loadBalancerClass: Type.Optional(Type.String({ maxLength: 253, description: "Who makes the load balancer" })),
    externalTrafficPolicy: Type.Optional(Type.Enum(["Cluster", "Local"], {
      type: "string",
      description: "Whether traffic from outside stays on the node that it came to",
    })),
  }, { description: "A Service for the declared ports; none is made when unset" }),
);

/** What the user asks for. */
export const EnvoyDeploymentSpec = Type.Object({
  envoyConfigRef: notEmpty("envoyConfigRef", {
    maxLength: 253,
    description: "EnvoyConfig in this namespace that the Envoys get",
  }),
  discoveryServiceRef: notEmpty("discoveryServiceRef", {
    maxLength: 253,
    description: "DiscoveryService in this namespace that they ask",
  }),
  clusterID: Type.Optional(
    Type.String({ maxLength: 1024, description: "Envoy's service cluster; the node id when unset" }),
  ),
  workload: Type.Optional(Type.Enum(["Deployment", "DaemonSet"], {
    type: "string",
    description: "Whether so many Envoys run as asked for, or one on each node; Deployment when unset",
  })),
  ports: Type.Optional(Type.Array(Port, {
    maxItems: 500,
    description: "Ports of the Envoy container",
    "x-kubernetes-validations": [
      { rule: "self.all(p, p.port >= 1 && p.port <= 65535)", message: "port must be between 1 and 65535" },
      {
        rule: "self.all(p, !has(p.protocol) || p.protocol in ['TCP', 'UDP', 'SCTP'])",
        message: "protocol must be TCP, UDP or SCTP",
      },
    ],
  })),
  image: Type.Optional(Type.String({ maxLength: 1024, description: "Image of Envoy" })),
  resources: resources("Envoy"),
  duration: duration("How long the client certificate is valid; 48h when unset"),
  extraArgs: Type.Optional(Type.Array(Type.String(), { description: "Further arguments for Envoy" })),
  adminPort: port("Port of Envoy's admin interface; 9901 when unset"),
  adminAccessLogPath: Type.Optional(
    Type.String({ maxLength: 4096, description: "Access log of the admin interface; /dev/null when unset" }),
  ),
  replicas,
  livenessProbe: probe("When a container is started anew"),
  readinessProbe: probe("When a pod gets traffic"),
  readiness: Type.Optional(Type.Enum(["configured", "started"], {
    type: "string",
    description:
      "Whether an Envoy is ready once it has accepted a configuration, or seconds after its start, with or " +
      "without one; configured when unset",
  })),
  podDisruptionBudget,
  service,
  serviceAccountName: Type.Optional(
    Type.String({ maxLength: 253, description: "Service account of the pods; default when unset" }),
  ),
  shutdownManager: Type.Optional(Type.Object({
    image: image("the shutdown manager"),
    serverPort: port("Port of the shutdown manager; 8090 when unset"),
    drainTime: Type.Optional(Type.Integer({
      minimum: 0,
      format: "int64",
      description: "Seconds that connections have to end by themselves; 300 when unset",
    })),
    drainStrategy: Type.Optional(Type.Enum(["gradual", "immediate"], {
      type: "string",
      description: "Whether ever more connections are asked to end, or all at once; gradual when unset",
    })),
    resources: resources("the shutdown manager"),
  }, { description: "Lets connections end before a pod does; there is none when unset" })),
  initManager: Type.Optional(Type.Object({
    image: image("the init manager"),
    resources: resources("the init manager"),
  }, { description: "Writes Envoy's bootstrap configuration" })),
  ...POD_FIELDS,
}, {
  description: "Envoys that get one EnvoyConfig",
  "x-kubernetes-validations": [
    ruleForChanges({
      before: "has(old.workload) == has(self.workload) && (!has(self.workload) || old.workload == self.workload) && " +
        "has(old.replicas) == has(self.replicas)",
      rule: "!(has(self.workload) && self.workload == 'DaemonSet' && has(self.replicas))",
      message: "replicas must not be set where one Envoy runs on each node",
    }),
  ],
});
export type EnvoyDeploymentSpec = Frozen<Static<typeof EnvoyDeploymentSpec>>;

/** What came of it. */
export const EnvoyDeploymentStatus = Type.Object({
  deploymentName: Type.Optional(Type.String({ description: "Name of the Deployment or DaemonSet that was made" })),
  deploymentStatus,
  replicas: Type.Optional(Type.Integer({ format: "int32", description: "How many pods there are" })),
  selector: Type.Optional(Type.String({ description: "Label selector of the pods" })),
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "Generation that all this tells of" }),
  ),
  conditions: Type.Optional(Type.Array(Condition, { description: "State of this object" })),
}, { description: "What came of it" });
export type EnvoyDeploymentStatus = Frozen<Static<typeof EnvoyDeploymentStatus>>;

/** Envoys that run by themselves, not beside an application. */
export interface EnvoyDeployment extends ApiObject {
  readonly spec: EnvoyDeploymentSpec;
  readonly status?: EnvoyDeploymentStatus;
}

/** The kind EnvoyDeployment. */
export const ENVOY_DEPLOYMENT: KindDefinition = {
  group: OPERATOR_GROUP,
  version: "v1alpha1",
  kind: "EnvoyDeployment",
  plural: "envoydeployments",
  singular: "envoydeployment",
  shortNames: ["ed"],
  description: "EnvoyDeployment runs Envoys that get the configuration of one EnvoyConfig",
  printerColumns: [
    { name: "Config", jsonPath: ".spec.envoyConfigRef", type: "string" },
    { name: "Ready", jsonPath: '.status.conditions[?(@.type=="Ready")].status', type: "string" },
    { name: "Replicas", jsonPath: ".status.replicas", type: "integer" },
    { name: "Available", jsonPath: ".status.deploymentStatus.availableReplicas", type: "integer" },
    { name: "Reason", jsonPath: '.status.conditions[?(@.type=="Ready")].reason', type: "string", priority: 1 },
    { name: "Age", jsonPath: ".metadata.creationTimestamp", type: "date" },
  ],
  scale: { spec: ".spec.replicas.static", status: ".status.replicas", selector: ".status.selector" },
  spec: EnvoyDeploymentSpec,
  status: EnvoyDeploymentStatus,
};
