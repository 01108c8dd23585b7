import {
  type DiscoveryService,
  discoveryServiceNames,
  type DiscoveryServiceSettings,
  ownedLabels,
} from "../../api/operator/mod.ts";
import { schedulingOf } from "../engine/scheduling.ts";
import { argumentsOf, type ClientRule } from "./client_rule.ts";

/** A Secret or ConfigMap of a volume can be read by whatever user the platform gives the pod; nobody else is in there. */
const FILE_MODE = 0o644;

/** Seconds in which a pod that is to end still takes new streams, until everybody knows that it ends. */
const UNTIL_KNOWN_S = 5;

/** What the pods of a discovery service are. */
export function podTemplateOf(
  object: DiscoveryService,
  { settings, rule, image, labels }: {
    settings: DiscoveryServiceSettings;
    /** What is asked of clients. */
    rule: ClientRule;
    image: string;
    /** Further labels that must be there. */
    labels: Readonly<Record<string, string>>;
  },
): Record<string, unknown> {
  const { name, namespace = "default" } = object.metadata;
  const { spec = {} } = object;
  const names = discoveryServiceNames(name);
  const { ports } = settings;
  const own = ownedLabels("discovery-service", name);
  const probe = (path: string) => ({
    httpGet: { path, port: ports.probe, scheme: "HTTP" },
    ...{ periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 },
  });
  return {
    metadata: {
      labels: { ...spec.podLabels, ...labels, ...own },
      ...(spec.podAnnotations && { annotations: spec.podAnnotations }),
    },
    spec: {
      ...schedulingOf(spec, { selector: own }),
      serviceAccountName: names.workload,
      terminationGracePeriodSeconds: 30,
      securityContext: {
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
        ...spec.podSecurityContext,
      },
      containers: [{
        name: "marin3r",
        image: spec.image || image,
        imagePullPolicy: "IfNotPresent",
        args: [
          "discovery-service",
          "--server-certificate-path=/etc/marin3r/tls/server",
          "--ca-certificate-path=/etc/marin3r/tls/ca",
          `--xdss-port=${ports.xds}`,
          `--metrics-bind-address=:${ports.metrics}`,
          `--health-probe-bind-address=:${ports.probe}`,
          ...argumentsOf(rule),
          ...(spec.debug ? ["--debug"] : []),
        ],
        env: [
          { name: "WATCH_NAMESPACE", value: namespace },
          { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
          { name: "POD_NAMESPACE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } } },
        ],
        ports: [
          { name: "discovery", containerPort: ports.xds, protocol: "TCP" },
          { name: "metrics", containerPort: ports.metrics, protocol: "TCP" },
        ],
        resources: spec.resources ?? {},
        livenessProbe: probe("/healthz"),
        readinessProbe: probe("/readyz"),
        lifecycle: { preStop: { sleep: { seconds: UNTIL_KNOWN_S } } },
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
          ...spec.securityContext,
        },
        volumeMounts: [
          { name: "server-cert", mountPath: "/etc/marin3r/tls/server/", readOnly: true },
          { name: "ca-cert", mountPath: "/etc/marin3r/tls/ca/", readOnly: true },
        ],
      }],
      volumes: [
        { name: "server-cert", secret: { secretName: settings.server.secretName, defaultMode: FILE_MODE } },
        // What it trusts, and nothing of the CA's key (S3).
        { name: "ca-cert", configMap: { name: names.bundle, defaultMode: FILE_MODE } },
      ],
    },
  };
}
