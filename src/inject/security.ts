import type { EnvoyPodOptions } from "./options.ts";

/** The user that Envoy's image has for it. */
const ENVOY_USER = 101;

/** Of every container (S6). */
export function containerSecurity({ restricted, securityContext }: EnvoyPodOptions): Record<string, unknown> {
  return {
    allowPrivilegeEscalation: false,
    ...(restricted && { capabilities: { drop: ["ALL"] } }),
    ...securityContext,
  };
}

/**
 * Of the pod (S6). Ports below 1024 can be bound by any user of it, so that 443 works without a right that is not to be had in a
 * restricted namespace.
 */
export function podSecurity(
  { restricted, userIsSet, given }: {
    restricted: boolean;
    /** Whether the platform gives pods a user of its choice. */
    userIsSet: boolean;
    given: Readonly<Record<string, unknown>> | undefined;
  },
): Record<string, unknown> {
  return {
    ...(userIsSet ? {} : { runAsUser: ENVOY_USER, runAsGroup: ENVOY_USER }),
    ...(restricted && { runAsNonRoot: true }),
    seccompProfile: { type: "RuntimeDefault" },
    sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }],
    ...given,
  };
}
