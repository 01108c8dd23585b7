import { envoyRegistry } from "../envoy/mod.ts";
import {
  envoyConfigReviewer,
  mutatingWebhookConfiguration,
  NodeIds,
  podReviewer,
  type Reviewer,
  virtualServiceReviewer,
  webhookConfiguration,
} from "../webhook/mod.ts";
import type { KubeObject } from "./kube_object.ts";
import { installLabels, partName, webhookConfigurationNames } from "./names.ts";
import type { InstallOptions } from "./options.ts";

/** Everything that the webhook is asked about; only what it is asked is looked at here, not what it answers. */
function reviewers(): Reviewer[] {
  return [
    envoyConfigReviewer({ registry: envoyRegistry(), nodeIds: new NodeIds(), nodeIdScope: "namespace" }),
    virtualServiceReviewer(),
    podReviewer({ inject: () => ({ kind: "refused", findings: [] }) }),
  ];
}

/**
 * What makes the API server ask the webhook. Whom it is to trust (`caBundle`) and what becomes of those who ask while nobody answers
 * (`failurePolicy`) is left to whoever looks after the certificate: who applies a manifest again would undo what was set since.
 */
export function webhookConfigurations(options: InstallOptions): KubeObject[] {
  const { namespace, watchNamespaces } = options;
  const asked = {
    client: { service: { name: partName("webhook"), namespace } },
    ...(watchNamespaces.length > 0 && { namespaces: watchNamespaces }),
  };
  const all = reviewers();
  const { validating, mutating } = webhookConfigurationNames(options);
  return [
    webhookConfiguration(all, { ...asked, name: validating }),
    mutatingWebhookConfiguration(all, { ...asked, name: mutating }),
  ].map((configuration) => withoutPolicy(configuration as unknown as Configuration)); // it has a name
}

interface Configuration extends KubeObject {
  readonly webhooks: readonly (Readonly<Record<string, unknown>> & { readonly failurePolicy: string })[];
}

function withoutPolicy(configuration: Configuration): KubeObject {
  return {
    ...configuration,
    metadata: { ...configuration.metadata, labels: installLabels("webhook") },
    webhooks: configuration.webhooks.map(({ failurePolicy: _, ...entry }) => entry),
  };
}
