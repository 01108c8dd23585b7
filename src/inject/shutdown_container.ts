import { adminPlaces } from "./admin.ts";
import type { EnvoyPodOptions } from "./options.ts";
import { containerSecurity } from "./security.ts";

const RESOURCES = { requests: { cpu: "5m", memory: "32Mi" }, limits: { cpu: "200m", memory: "128Mi" } };

/** Seconds that it may take until it answers. */
const STARTS_S = 120;

/** Seconds after the time for draining in which the pod can still end by itself (C12). */
export const RESERVE_S = 30;

/** The container that lets connections end before Envoy does; `undefined` when that is not asked for. */
export function shutdownContainer(options: EnvoyPodOptions): Record<string, unknown> | undefined {
  const { shutdown } = options;
  if (!shutdown) return undefined;
  const { token } = shutdown;
  const at = (path: string) => ({ httpGet: { path, port: shutdown.port, scheme: "HTTP" } });
  const preStop = at("/drain");
  const withToken = { httpGet: { ...preStop.httpGet, httpHeaders: [{ name: "X-Chancery-Drain", value: token }] } };
  return {
    name: "envoy-shtdn-mgr",
    image: shutdown.image,
    imagePullPolicy: "IfNotPresent",
    args: [
      "shutdown-manager",
      ...["--port", String(shutdown.port)], // C3
      ...["--envoy-admin-address", adminPlaces(options).url], // C4
      ...(token === undefined ? [] : ["--drain-token", token]),
    ],
    resources: shutdown.resources ?? RESOURCES,
    // A pod that ends before its hook is answered would cut its connections: until then it is not ready.
    startupProbe: {
      ...at("/healthz"),
      ...{
        initialDelaySeconds: 0,
        periodSeconds: 1,
        timeoutSeconds: 1,
        successThreshold: 1,
        failureThreshold: STARTS_S,
      },
    },
    livenessProbe: {
      ...at("/healthz"),
      ...{ initialDelaySeconds: 3, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 },
    },
    lifecycle: { preStop: token === undefined ? preStop : withToken },
    securityContext: containerSecurity(options),
  };
}

/** How long the pod may take to end. */
export function gracePeriodSeconds({ shutdown }: Pick<EnvoyPodOptions, "shutdown">): number {
  return shutdown ? shutdown.drainSeconds + RESERVE_S : RESERVE_S;
}
