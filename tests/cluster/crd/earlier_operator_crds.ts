/** The operator's kinds as programs before us had them: the same fields, and hardly a limit on any of them. */
export const EARLIER_OPERATOR_CRDS: readonly object[] = [
  crd("DiscoveryService", "discoveryservices"),
  crd("DiscoveryServiceCertificate", "discoveryservicecertificates"),
  crd("EnvoyDeployment", "envoydeployments"),
];

/** Their schemas told every field, which matters for pruning only; what matters here is that nothing was refused. */
function crd(kind: string, plural: string): object {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.operator.marin3r.3scale.net` },
    spec: {
      group: "operator.marin3r.3scale.net",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: "Namespaced",
      versions: [{
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: { type: "object" },
              spec: anything,
              status: anything,
            },
          },
        },
      }],
    },
  };
}
