import type { InstallOptions } from "./options.ts";

/** The namespace of MARIN3R's operator, and of ours. */
export const INSTALL_NAMESPACE = "marin3r-system";

/** A part of the installation: its Deployment, ServiceAccount, Services and rights are called after it. */
export type Part = "operator" | "webhook" | "virtual-services";

/** `chancery-operator`: Deployment, ServiceAccount, roles and so on of a part. */
export function partName(part: Part): string {
  return `chancery-${part}`;
}

/** Labels of everything that is installed. None of them says that the operator has made it, which watches what it has made. */
export function installLabels(part?: Part): Readonly<Record<string, string>> {
  return {
    "app.kubernetes.io/name": "chancery",
    "app.kubernetes.io/part-of": "chancery",
    ...(part && { "app.kubernetes.io/component": part }),
  };
}

/** Labels of the pods of a part, by which they are found. */
export function podSelector(part: Part): Readonly<Record<string, string>> {
  return { "app.kubernetes.io/name": "chancery", "app.kubernetes.io/component": part };
}

/**
 * Name of an object of the cluster: an installation that looks after some namespaces only adds its own, so that several of them
 * can live in a cluster.
 */
export function clusterWideName(name: string, { namespace, watchNamespaces }: InstallOptions): string {
  return watchNamespaces.length === 0 ? name : `${name}-${namespace}`;
}

/** What makes the API server ask the webhook; the names are those of MARIN3R's, whose webhook must not be asked, too. */
export const WEBHOOK_CONFIGURATIONS = {
  mutating: "marin3r-mutating-webhook-configuration",
  validating: "marin3r-validating-webhook-configuration",
} as const;

/** Their names in an installation. */
export function webhookConfigurationNames(options: InstallOptions): { mutating: string; validating: string } {
  const { mutating, validating } = WEBHOOK_CONFIGURATIONS;
  return { mutating: clusterWideName(mutating, options), validating: clusterWideName(validating, options) };
}

/** Secret with the certificate of the webhook: `tls.crt`, `tls.key`, `ca.crt`. */
export const WEBHOOK_SECRET = "chancery-webhook-tls";

/** Where the pods of the webhook find it. */
export const WEBHOOK_TLS_DIR = "/etc/chancery/webhook";
