import { type KubeObject, WEBHOOK_CONFIGURATIONS } from "../install/mod.ts";
import type { Inventory } from "./inventory.ts";
import { kubectl, type Remark, remarkOn } from "./remark.ts";

const GROUP = "admissionregistration.k8s.io/v1";
/** Whom the API server asks about objects that are written. */
export const WEBHOOKS = [
  { apiVersion: GROUP, kind: "MutatingWebhookConfiguration" },
  { apiVersion: GROUP, kind: "ValidatingWebhookConfiguration" },
] as const;

/** Where pods are given their sidecars, by MARIN3R's webhook as by ours. */
const INJECTION_PATH = "/pod-v1-mutate";
/** By these annotations cert-manager.io writes a CA into a configuration. */
const INJECTED_BY = ["cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret"];

interface Configuration {
  readonly webhooks?: readonly {
    readonly clientConfig?: { readonly url?: string; readonly service?: { readonly path?: string } };
  }[];
}

/**
 * Webhook configurations that would be in the way: of a pod that two webhooks are asked about, each would add a sidecar; and who writes
 * another CA into ours keeps the API server from asking at all. `certManager`: cert-manager.io makes the certificate of ours, too.
 */
export function webhooks(inventory: Inventory, { certManager = false } = {}): Remark[] {
  return WEBHOOKS.flatMap((kind) => inventory.of<Configuration>(kind)).flatMap((configuration) => {
    const { kind, metadata: { name, labels = {}, annotations = {} } } = configuration;
    if (labels["app.kubernetes.io/name"] === "chancery") return [];
    const resource = kind.toLowerCase();
    if (Object.values<string>(WEBHOOK_CONFIGURATIONS).includes(name)) {
      if (certManager) return [];
      return INJECTED_BY.filter((annotation) => Object.hasOwn(annotations, annotation)).map((annotation) =>
        remarkOn(configuration, "first", {
          message:
            "it is taken over, and cert-manager.io would go on writing the CA of MARIN3R's webhook into it, unless Chancery " +
            "is installed with certManager.enabled=true",
          next: kubectl(configuration, `annotate ${resource} ${name} ${annotation}-`),
        })
      );
    }
    return injects(configuration) ? [twice(configuration, resource)] : [];
  });
}

function injects({ webhooks = [] }: Configuration): boolean {
  return webhooks.some(({ clientConfig: { url = "", service } = {} }) =>
    service?.path === INJECTION_PATH || url.endsWith(INJECTION_PATH)
  );
}

function twice(configuration: KubeObject, resource: string): Remark {
  return remarkOn(configuration, "first", {
    message: "it has sidecars added to pods, too, and each would get two",
    next: kubectl(configuration, `delete ${resource} ${configuration.metadata.name}`),
  });
}
