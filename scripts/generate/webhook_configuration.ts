import { stringifyYaml } from "../../src/base/yaml/mod.ts";
import { envoyRegistry } from "../../src/envoy/mod.ts";
import {
  envoyConfigReviewer,
  mutatingWebhookConfiguration,
  NodeIds,
  podReviewer,
  webhookConfiguration,
} from "../../src/webhook/mod.ts";

const SERVICE = { name: "chancery-webhook", namespace: "chancery-system" };

const HEAD =
  "# Written by deno task generate from src/webhook/. clientConfig.caBundle is left to whoever makes the certificate.\n";

/** `manifests/webhook/`: what tells the API server when to ask, and whom. Whoever makes the certificate adds the caBundle. */
export function webhookConfigurationFiles(): ReadonlyMap<string, string> {
  const reviewers = [
    envoyConfigReviewer({ registry: envoyRegistry(), nodeIds: new NodeIds(), nodeIdScope: "namespace" }),
    podReviewer({ inject: () => ({ kind: "refused", findings: [] }) }),
  ];
  const options = { client: { service: SERVICE } };
  return new Map([
    [
      "manifests/webhook/validating_webhook_configuration.yaml",
      `${HEAD}${stringifyYaml(webhookConfiguration(reviewers, options))}`,
    ],
    [
      "manifests/webhook/mutating_webhook_configuration.yaml",
      `${HEAD}${stringifyYaml(mutatingWebhookConfiguration(reviewers, options))}`,
    ],
  ]);
}
