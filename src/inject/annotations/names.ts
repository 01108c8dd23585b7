import { GROUP } from "../../api/mod.ts";

/** What every annotation begins with. */
export const PREFIX = `${GROUP}/`;

/** All annotations that are read of a pod, without {@linkcode PREFIX}. */
export const ANNOTATION_NAMES = [
  "node-id",
  "cluster-id",
  "container-name",
  "envoy-image",
  "envoy-api-version",
  "ports",
  "host-port-mappings",
  "envoy-extra-args",
  "config-volume",
  "tls-volume",
  "client-certificate",
  "discovery-service.name",
  "admin.port",
  "admin.bind-address",
  "admin.access-log-path",
  "resources.requests.cpu",
  "resources.requests.memory",
  "resources.limits.cpu",
  "resources.limits.memory",
  "shutdown-manager.enabled",
  "shutdown-manager.port",
  "shutdown-manager.image",
  "shutdown-manager.drain-time",
  "shutdown-manager.drain-strategy",
  "shutdown-manager.extra-lifecycle-hooks",
  "init-manager.image",
  "sidecar-mode",
  "readiness",
] as const;

/** Name of one of them. */
export type AnnotationName = typeof ANNOTATION_NAMES[number];

/** The label by which a pod asks for a sidecar; only this value does. */
export const INJECTION_LABEL = { name: `${GROUP}/status`, value: "enabled" } as const;

/** Where the webhook is asked about pods, ours as MARIN3R's. */
export const INJECTION_PATH = "/pod-v1-mutate";

/** Of old manifests: it says nothing any more, and harms nobody. */
export const FORGOTTEN_NAMES: readonly string[] = ["ads-configmap"];
