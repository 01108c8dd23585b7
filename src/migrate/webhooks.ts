import { INJECTION_PATH } from "../inject/mod.ts";
import { type KubeObject, partName, WEBHOOK_CONFIGURATIONS } from "../install/mod.ts";
import type { Inventory } from "./inventory.ts";
import { kubectl, type Remark, remarkOn } from "./remark.ts";

const GROUP = "admissionregistration.k8s.io/v1";
/** Whom the API server asks about objects that are written. */
export const WEBHOOKS = [
  { apiVersion: GROUP, kind: "MutatingWebhookConfiguration" },
  { apiVersion: GROUP, kind: "ValidatingWebhookConfiguration" },
] as const;

/** Where MARIN3R's webhook looks at what users write. */
const VALIDATION_PATHS = [
  "/validate-marin3r-3scale-net-v1alpha1-envoyconfig",
  "/validate-operator-marin3r-3scale-net-v1alpha1-envoydeployment",
];
/** The webhook of a configuration of MARIN3R's that ours has no use for: the CRD refuses by itself what it looked for. */
const LEFT_OVER = "envoydeployment.operator.marin3r.3scale.net";
/** By these annotations cert-manager.io writes a CA into a configuration. */
const INJECTED_BY = ["cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret"];

interface Configuration {
  readonly webhooks?: readonly {
    readonly name?: string;
    readonly clientConfig?: {
      readonly url?: string;
      readonly service?: { readonly name?: string; readonly path?: string };
    };
  }[];
}

/**
 * Webhook configurations that would be in the way: of a pod that two webhooks are asked about, each would add a sidecar; who writes
 * another CA into ours keeps the API server from asking at all; and a webhook of MARIN3R's that is asked when it is gone refuses
 * everything. `certManager`: cert-manager.io makes the certificate of ours, too.
 */
export function webhooks(inventory: Inventory, { certManager = false } = {}): Remark[] {
  return WEBHOOKS.flatMap((kind) => inventory.of<Configuration>(kind)).flatMap((configuration) => {
    const { metadata: { name, labels = {} } } = configuration;
    const ours = labels["app.kubernetes.io/name"] === "chancery";
    if (ours || Object.values<string>(WEBHOOK_CONFIGURATIONS).includes(name)) {
      return [...(certManager || ours ? [] : otherAuthority(configuration)), ...leftOver(configuration)];
    }
    if (asks(configuration, [INJECTION_PATH])) {
      return [remove(configuration, "it has sidecars added to pods, too, and each would get two")];
    }
    return asks(configuration, VALIDATION_PATHS) && !asksOurs(configuration)
      ? [remove(configuration, "it asks MARIN3R's webhook, and refuses every change once that is gone")]
      : [];
  });
}

function otherAuthority(configuration: KubeObject & Configuration): Remark[] {
  const { kind, metadata: { name, annotations = {} } } = configuration;
  return INJECTED_BY.filter((annotation) => Object.hasOwn(annotations, annotation)).map((annotation) =>
    remarkOn(configuration, "first", {
      message:
        "it is taken over, and cert-manager.io would go on writing the CA of MARIN3R's webhook into it, unless Chancery " +
        "is installed with certManager.enabled=true",
      next: kubectl(configuration, `annotate ${kind.toLowerCase()} ${name} ${annotation}-`),
    })
  );
}

/** Who applies a configuration leaves those webhooks in it that it does not name. */
function leftOver(configuration: KubeObject & Configuration): Remark[] {
  const { kind, metadata: { name }, webhooks = [] } = configuration;
  if (!webhooks.some((webhook) => webhook.name === LEFT_OVER)) return [];
  const patch = JSON.stringify({ webhooks: [{ name: LEFT_OVER, $patch: "delete" }] });
  return [remarkOn(configuration, "first", {
    message: `it is taken over, but for ${LEFT_OVER}, which would go on asking MARIN3R's webhook, and refuse every ` +
      "EnvoyDeployment once that is gone",
    next: kubectl(configuration, `patch ${kind.toLowerCase()} ${name} -p '${patch}'`),
  })];
}

function asks({ webhooks = [] }: Configuration, paths: readonly string[]): boolean {
  return webhooks.some(({ clientConfig: { url = "", service } = {} }) =>
    paths.some((path) => service?.path === path || url.endsWith(path))
  );
}

/** The Operator Lifecycle Manager calls our configurations and the Service of our webhook as it likes, too. */
function asksOurs({ webhooks = [] }: Configuration): boolean {
  return webhooks.some(({ clientConfig: { service } = {} }) => service?.name?.startsWith(partName("webhook")));
}

function remove(configuration: KubeObject, message: string): Remark {
  const { kind, metadata: { name } } = configuration;
  return remarkOn(configuration, "first", {
    message,
    next: kubectl(configuration, `delete ${kind.toLowerCase()} ${name}`),
  });
}
