import Type, { type Static } from "typebox";
import type { Frozen } from "../frozen.ts";
import type { KindDefinition } from "../kind.ts";
import { type ApiObject, Condition } from "../metadata.ts";
import { ruleForChanges } from "../validation_rule.ts";
import { deploymentStatus, duration, POD_FIELDS, port, resources } from "./core.ts";
import { keyAlgorithm } from "./key_algorithm.ts";
import { OPERATOR_GROUP } from "./names.ts";

function secretName(what: string) {
  return Type.Optional(Type.String({ maxLength: 253, description: `Secret that holds ${what}` }));
}

/** Both spellings are the same; older programs know only the first. */
function pkiConfig(description: string) {
  return Type.Optional(Type.Object({
    rootCertificateAuthority: Type.Optional(Type.Object({
      secretName: secretName("the certificate authority"),
      duration: duration("How long the certificate authority is valid; 26280h when unset"),
    }, { description: "The certificate authority of this discovery service and its clients" })),
    serverCertificate: Type.Optional(Type.Object({
      secretName: secretName("the certificate that the discovery service shows"),
      duration: duration("How long the certificate is valid; 2160h when unset"),
      hosts: Type.Optional(Type.Array(Type.String({ maxLength: 253 }), {
        maxItems: 100,
        description: "Further names and addresses by which clients dial the discovery service",
      })),
    }, { description: "The certificate that the discovery service shows" })),
    keyAlgorithm,
    trustDelay: duration("How long everybody has to read a new certificate authority before it signs; 5m when unset"),
  }, { description }));
}

/** What the user asks for; all of it may be left out. */
export const DiscoveryServiceSpec = Type.Object({
  image: Type.Optional(
    Type.String({ maxLength: 1024, description: "Image of the discovery service; ours when unset" }),
  ),
  debug: Type.Optional(Type.Boolean({ description: "Whether it logs everything" })),
  replicas: Type.Optional(Type.Integer({
    minimum: 0,
    maximum: 100,
    format: "int32",
    description: "How many there are; 2 when unset",
  })),
  resources: resources("the discovery service"),
  pkiConfg: pkiConfig("The same as pkiConfig, as older manifests spell it"),
  pkiConfig: pkiConfig("Its certificates"),
  xdsServerPort: port("Port that Envoys connect to; 18000 when unset"),
  metricsPort: port("Port of the metrics; 8383 when unset"),
  probePort: port("Port of the probes; 8384 when unset"),
  serviceConfig: Type.Optional(Type.Object({
    name: Type.Optional(Type.String({
      maxLength: 63,
      description: "Name of the Service; marin3r- and the name of this object when unset",
    })),
    type: Type.Optional(Type.Enum(["ClusterIP", "LoadBalancer", "Headless", "NodePort"], {
      type: "string",
      description: "Type of the Service, ClusterIP when unset; Headless is ClusterIP without an address",
    })),
  }, { description: "The Service that Envoys connect to" })),
  clientAuthorization: Type.Optional(Type.Enum(["Off", "Namespace", "NodeID"], {
    type: "string",
    description: "Whether a client certificate says which node ids its bearer may ask for, Off when unset",
  })),
  clientAuthorizationAction: Type.Optional(Type.Enum(["Refuse", "Warn"], {
    type: "string",
    description: "What becomes of clients whose certificate does not say so: they are refused, which is what is done " +
      "when unset, or served, and a warning is logged",
  })),
  ...POD_FIELDS,
}, {
  description: "How the discovery service of this namespace runs",
  "x-kubernetes-validations": [
    ruleForChanges({
      before: "has(old.pkiConfg) == has(self.pkiConfg) && has(old.pkiConfig) == has(self.pkiConfig)",
      rule: "!(has(self.pkiConfg) && has(self.pkiConfig))",
      message: "only one of pkiConfig and pkiConfg, its older spelling, may be set",
    }),
    ruleForChanges({
      before: ["xdsServerPort", "metricsPort", "probePort"].map((name) =>
        `has(old.${name}) == has(self.${name}) && (!has(self.${name}) || old.${name} == self.${name})`
      ).join(" && "),
      rule: "[has(self.xdsServerPort) ? self.xdsServerPort : 18000, has(self.metricsPort) ? self.metricsPort : 8383, " +
        "has(self.probePort) ? self.probePort : 8384].all(p, [has(self.xdsServerPort) ? self.xdsServerPort : 18000, " +
        "has(self.metricsPort) ? self.metricsPort : 8383, has(self.probePort) ? self.probePort : 8384]" +
        ".exists_one(q, q == p))",
      message: "xdsServerPort, metricsPort and probePort must differ",
    }),
  ],
});
export type DiscoveryServiceSpec = Frozen<Static<typeof DiscoveryServiceSpec>>;

/** What came of it. */
export const DiscoveryServiceStatus = Type.Object({
  deploymentName: Type.Optional(Type.String({ description: "Name of the Deployment that was made" })),
  deploymentStatus,
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "Generation that all this tells of" }),
  ),
  conditions: Type.Optional(Type.Array(Condition, { description: "State of this object" })),
}, { description: "What came of it" });
export type DiscoveryServiceStatus = Frozen<Static<typeof DiscoveryServiceStatus>>;

/** The xDS server of a namespace. */
export interface DiscoveryService extends ApiObject {
  readonly spec?: DiscoveryServiceSpec;
  readonly status?: DiscoveryServiceStatus;
}

/** The kind DiscoveryService. */
export const DISCOVERY_SERVICE: KindDefinition = {
  group: OPERATOR_GROUP,
  version: "v1alpha1",
  kind: "DiscoveryService",
  plural: "discoveryservices",
  singular: "discoveryservice",
  shortNames: ["xds"],
  description: "DiscoveryService is the xDS server that the Envoys of its namespace connect to",
  printerColumns: [
    { name: "Ready", jsonPath: '.status.conditions[?(@.type=="Ready")].status', type: "string" },
    { name: "Available", jsonPath: ".status.deploymentStatus.availableReplicas", type: "integer" },
    { name: "Reason", jsonPath: '.status.conditions[?(@.type=="Ready")].reason', type: "string", priority: 1 },
    { name: "Age", jsonPath: ".metadata.creationTimestamp", type: "date" },
  ],
  spec: DiscoveryServiceSpec,
  status: DiscoveryServiceStatus,
};
