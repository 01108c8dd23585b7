import { crdOf } from "../api/mod.ts";
import { VIRTUAL_SERVICE } from "../api/virtual_service/mod.ts";
import { accessOf } from "./access.ts";
import { namespaceObject } from "./installed_objects.ts";
import type { KubeObject } from "./kube_object.ts";
import { installLabels, partName, podSelector } from "./names.ts";
import { networkPolicy, tcp } from "./network_policies.ts";
import type { InstallOptions } from "./options.ts";
import { deploymentOf, PORTS } from "./pod.ts";
import { VIRTUAL_SERVICE_RIGHTS } from "./rights.ts";

/** Where the Envoys of l7mp-xds-operator look for it; the port is that of every discovery service. */
export const L7MP = { namespace: "operator-system", service: "operator-service" } as const;

/** Replicas share the Envoys, and one of them may go. */
const SIZE = { replicas: 2, resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } } };
/** Longer than streams take to end. */
const GRACE_S = 30;

/** What stands in the place of l7mp-xds-operator, in groups that need those before them. */
export interface L7mpObjects {
  readonly crds: readonly KubeObject[];
  readonly namespace: readonly KubeObject[];
  readonly discoveryService: readonly KubeObject[];
}

/**
 * A discovery service for VirtualServices alone, in plain text, as the Envoys of l7mp-xds-operator ask for it: in all namespaces, with no
 * more rights than it needs, which are none for Secrets. Who is no pod of the cluster does not reach it.
 */
export function l7mpObjects(general: InstallOptions): L7mpObjects {
  const options = { ...general, namespace: L7MP.namespace, watchNamespaces: [] };
  const { namespace } = options;
  const part = "virtual-services";
  const selector = podSelector(part);
  const metadata = { name: partName(part), namespace, labels: installLabels(part) };
  return {
    crds: [crdOf(VIRTUAL_SERVICE) as unknown as KubeObject], // it has a name
    namespace: [namespaceObject(options)],
    discoveryService: [
      ...accessOf(part, [VIRTUAL_SERVICE_RIGHTS], options),
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { ...metadata, name: L7MP.service },
        spec: {
          selector,
          ports: [{ name: "xds", port: PORTS.xds, targetPort: "xds", appProtocol: "kubernetes.io/h2c" }],
        },
      },
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata,
        spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
      },
      networkPolicy(part, options, [
        { from: [{ namespaceSelector: {} }], ports: tcp(PORTS.xds) },
        { ports: tcp(PORTS.metrics, PORTS.probes) },
      ]),
      deploymentOf(part, options, {
        size: SIZE,
        args: ["discovery-service", "--virtual-services-only", "--insecure-xds"],
        ports: [{ name: "xds", containerPort: PORTS.xds }],
        terminationGracePeriodSeconds: GRACE_S,
      }),
    ],
  };
}
