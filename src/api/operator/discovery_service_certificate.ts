import Type, { type Static } from "typebox";
import type { Frozen } from "../frozen.ts";
import type { KindDefinition } from "../kind.ts";
import { type ApiObject, Condition } from "../metadata.ts";
import type { ValidationRule } from "../validation_rule.ts";
import { notEmpty } from "./core.ts";
import { keyAlgorithm } from "./key_algorithm.ts";
import { OPERATOR_GROUP } from "./names.ts";

/** As in Kubernetes: a Secret in any namespace. */
function secretReference(namespace: string, description: string, rules: readonly ValidationRule[] = []) {
  return Type.Object({
    name: Type.Optional(Type.String({ maxLength: 253, description: "Name of the Secret" })),
    namespace: Type.Optional(Type.String({ maxLength: 63, description: namespace })),
  }, {
    description,
    "x-kubernetes-map-type": "atomic",
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  });
}

/** Whether a certificate is replaced before it ends. */
function renewal(description: string) {
  return Type.Optional(Type.Object({
    enabled: Type.Boolean({ description: "Whether a new certificate is issued when the present one is about to end" }),
  }, { description }));
}

/** The longest life of a certificate, in seconds: a hundred years. */
const MAX_VALID_FOR = 3_155_760_000;

/** Room for a node id of 1024 characters, each of which may be four bytes and each byte three characters. */
const MAX_URI = 13_000;

/** What the certificate shall be. */
export const DiscoveryServiceCertificateSpec = Type.Object({
  commonName: notEmpty("commonName", { maxLength: 1024, description: "Common name of the subject" }),
  server: Type.Optional(Type.Boolean({ description: "Whether a server shows it, otherwise a client" })),
  isCA: Type.Optional(Type.Boolean({ description: "Whether it signs other certificates" })),
  validFor: Type.Integer({
    minimum: 1,
    maximum: MAX_VALID_FOR,
    format: "int64",
    description: "How long it is valid, in seconds",
  }),
  hosts: Type.Optional(Type.Array(Type.String(), {
    description: "Names and addresses it is for; the common name when there are none",
  })),
  uris: Type.Optional(Type.Array(Type.String({ maxLength: MAX_URI }), {
    maxItems: 1000,
    description: "URIs it is for; they tell which node ids its bearer may ask for",
  })),
  signer: Type.Object({
    selfSigned: Type.Optional(Type.Object({}, { description: "It is signed by its own key" })),
    caSigned: Type.Optional(Type.Object({
      caSecretRef: secretReference("Namespace of the Secret, to be given", "Secret of the certificate authority"),
    }, { description: "It is signed by a certificate authority; goes before selfSigned" })),
  }, { description: "Who signs it; itself when nothing is set" }),
  secretRef: secretReference("Ignored: the Secret is in the namespace of this object", "Secret that it is kept in", [{
    rule: "has(self.name) && self.name != ''",
    message: "secretRef.name must be set",
  }]),
  certificateRenewal: renewal("Whether it is renewed; it is when unset"),
  certificateRenewalConfig: renewal("The same as certificateRenewal, which goes before it"),
  keyAlgorithm,
}, { description: "What the certificate shall be" });
export type DiscoveryServiceCertificateSpec = Frozen<Static<typeof DiscoveryServiceCertificateSpec>>;

/** How far a change of a certificate authority is. */
export const CertificateRotation = Type.Object({
  phase: Type.Enum(["Stable", "Trust", "Sign", "Retire"], {
    type: "string",
    description: "Trust: the next one is told to everybody; Sign: it signs; Retire: the earlier ones are still trusted",
  }),
  since: Type.String({ format: "date-time", description: "When the phase began" }),
  current: Type.String({ description: "SHA-256 of the certificate that signs" }),
  lastSigned: Type.String({ format: "date-time", description: "Nothing that it ever signed ends later" }),
  earlier: Type.Optional(Type.Array(
    Type.Object({
      fingerprint: Type.String({ description: "SHA-256 of the certificate" }),
      until: Type.String({ format: "date-time", description: "Nothing that it ever signed ends later" }),
    }),
    { description: "Earlier ones that are still trusted" },
  )),
  told: Type.Optional(Type.Object({
    bundle: Type.String({ description: "SHA-256 of the certificates that are trusted, separated by commas" }),
    since: Type.String({ format: "date-time", description: "Since when every Secret holds them" }),
  }, { description: "What everybody has been told to trust" })),
}, { description: "State of the certificate authority; changes of it go on from here" });
export type CertificateRotation = Frozen<Static<typeof CertificateRotation>>;

/** What came of it. */
export const DiscoveryServiceCertificateStatus = Type.Object({
  ready: Type.Optional(Type.Boolean({ description: "Whether the certificate can be used now" })),
  notBefore: Type.Optional(Type.String({ format: "date-time", description: "When the certificate begins" })),
  notAfter: Type.Optional(Type.String({ format: "date-time", description: "When the certificate ends" })),
  certificateHash: Type.Optional(Type.String({ description: "Changes with the certificate; fits into a label" })),
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "Generation that all this tells of" }),
  ),
  rotation: Type.Optional(CertificateRotation),
  conditions: Type.Optional(Type.Array(Condition, { description: "State of this object" })),
}, { description: "What came of it" });
export type DiscoveryServiceCertificateStatus = Frozen<Static<typeof DiscoveryServiceCertificateStatus>>;

/** A certificate that is kept in a Secret and renewed. */
export interface DiscoveryServiceCertificate extends ApiObject {
  readonly spec: DiscoveryServiceCertificateSpec;
  readonly status?: DiscoveryServiceCertificateStatus;
}

/** The kind DiscoveryServiceCertificate. */
export const DISCOVERY_SERVICE_CERTIFICATE: KindDefinition = {
  group: OPERATOR_GROUP,
  version: "v1alpha1",
  kind: "DiscoveryServiceCertificate",
  plural: "discoveryservicecertificates",
  singular: "discoveryservicecertificate",
  shortNames: ["dsc"],
  description: "DiscoveryServiceCertificate is a certificate that is kept in a Secret and renewed in time",
  printerColumns: [
    { name: "Ready", jsonPath: ".status.ready", type: "boolean" },
    { name: "Not Before", jsonPath: ".status.notBefore", type: "string", format: "date-time" },
    { name: "Not After", jsonPath: ".status.notAfter", type: "string", format: "date-time" },
    { name: "Reason", jsonPath: '.status.conditions[?(@.type=="UpToDate")].reason', type: "string", priority: 1 },
    { name: "Phase", jsonPath: ".status.rotation.phase", type: "string", priority: 1 },
  ],
  spec: DiscoveryServiceCertificateSpec,
  status: DiscoveryServiceCertificateStatus,
};
