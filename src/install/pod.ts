import { installLabels, type Part, partName, podSelector } from "./names.ts";
import type { KubeObject } from "./kube_object.ts";
import type { InstallOptions, PartOptions, PassedOn } from "./options.ts";

/** What differs between the pods of the parts. */
export interface PodParts {
  readonly size: PartOptions;
  readonly args: readonly string[];
  readonly env?: readonly PassedOn[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly PassedOn[];
  readonly volumes?: readonly PassedOn[];
  readonly terminationGracePeriodSeconds: number;
}

/** Where every part answers; the defaults of the program. */
export const PORTS = { metrics: 8080, probes: 8081, webhook: 9443, xds: 18000 } as const;

/**
 * A Deployment of ours: pods that the Pod Security standard `restricted` admits, with a root file system that cannot be written,
 * spread over nodes and zones where there are several.
 */
export function deploymentOf(part: Part, options: InstallOptions, pod: PodParts): KubeObject {
  const { replicas } = pod.size;
  const selector = podSelector(part);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: partName(part), namespace: options.namespace, labels: installLabels(part) },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: {
          labels: installLabels(part),
          // Where a container is meant when none is named: kubectl logs, kubectl exec.
          annotations: { "kubectl.kubernetes.io/default-container": part },
        },
        spec: podSpec(part, options, pod),
      },
    },
  };
}

function podSpec(part: Part, options: InstallOptions, pod: PodParts): PassedOn {
  const { image, imagePullSecrets, nodeSelector, tolerations, priorityClassName, watchNamespaces } = options;
  return {
    serviceAccountName: partName(part),
    terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(priorityClassName !== "" && { priorityClassName }),
    topologySpreadConstraints: ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: podSelector(part) },
    })),
    containers: [{
      name: part,
      image,
      imagePullPolicy: "IfNotPresent",
      args: [...pod.args, `--log-level=${options.logLevel}`],
      env: [
        { name: "WATCH_NAMESPACE", value: watchNamespaces.join(",") },
        { name: "RELATED_IMAGE_CHANCERY", value: image },
        { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
        ...pod.env ?? [],
      ],
      ports: [
        { name: "metrics", containerPort: PORTS.metrics },
        { name: "probes", containerPort: PORTS.probes },
        ...pod.ports ?? [],
      ],
      ...(Object.keys(pod.size.resources).length > 0 && { resources: pod.size.resources }),
      livenessProbe: probe("/healthz", { periodSeconds: 20, failureThreshold: 3 }),
      readinessProbe: probe("/readyz", { periodSeconds: 5, failureThreshold: 2 }),
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
      ...(pod.volumeMounts && { volumeMounts: pod.volumeMounts }),
    }],
    ...(pod.volumes && { volumes: pod.volumes }),
  };
}

function probe(path: string, numbers: { readonly periodSeconds: number; readonly failureThreshold: number }): PassedOn {
  return { httpGet: { path, port: "probes" }, timeoutSeconds: 3, ...numbers };
}
