import { ENVOY_PROBES } from "../api/operator/mod.ts";
import type { SidecarSettings } from "./annotations/settings.ts";
import type { Discovery } from "./discovery.ts";
import { envoyContainer } from "./envoy_container.ts";
import { initContainer } from "./init_container.ts";
import type { JsonObject } from "./json.ts";
import type { EnvoyPodOptions } from "./options.ts";
import { shutdownContainer } from "./shutdown_container.ts";
import { envoyVolumes } from "./volumes.ts";

/** What a sidecar consists of. */
export interface Sidecar {
  /** In the order in which they start. */
  readonly initContainers: readonly JsonObject[];
  readonly containers: readonly JsonObject[];
  readonly volumes: readonly JsonObject[];
}

/** Containers and volumes of a sidecar, in the order of its mode. */
export function sidecarOf(
  settings: SidecarSettings,
  { discovery, security, drainToken }: {
    readonly drainToken: string | undefined;
    readonly discovery: Discovery;
    readonly security: { readonly restricted: boolean; readonly securityContext: JsonObject };
  },
): Sidecar {
  const options: EnvoyPodOptions = {
    ...settings,
    xds: discovery,
    bundle: discovery.bundle,
    clientSecret: settings.clientSecret ?? discovery.clientSecret(settings.nodeId),
    ...ENVOY_PROBES,
    init: { image: settings.initImage },
    shutdown: settings.shutdown && { ...settings.shutdown, token: drainToken },
    ...security,
  };
  const init = initContainer(options);
  const native = settings.mode === "native";
  // What comes next starts when the startup probe has succeeded: the application has an Envoy that has its configuration (O5).
  const envoy = envoyContainer(options, { first: native });
  const shutdown = shutdownContainer(options);
  const volumes = envoyVolumes(options);
  if (!native) {
    return { initContainers: [init], containers: [envoy, ...(shutdown ? [shutdown] : [])], volumes };
  }
  const always = { restartPolicy: "Always" };
  return {
    initContainers: [init, ...(shutdown ? [{ ...shutdown, ...always }] : []), { ...envoy, ...always }],
    containers: [],
    volumes,
  };
}
