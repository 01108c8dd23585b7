import type { Reviewer } from "./reviewer.ts";
import { REVIEW_VERSION } from "./review.ts";

/** How the API server reaches a webhook. */
export type WebhookClient =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** Up to the path, e.g. `https://127.0.0.1:9443`. */
  | { readonly url: string };

/** Options of {@linkcode webhookConfiguration}. */
export interface WebhookConfigurationOptions {
  readonly client: WebhookClient;
  /** PEM of the authorities that the webhook's certificate may come from; left out where somebody else keeps it. */
  readonly caBundle?: string;
  /** Name of the object; `chancery` when absent. */
  readonly name?: string;
}

/** As long as Kubernetes waits when nothing is said; a review takes milliseconds, a failing one should not hold up a person. */
const TIMEOUT_SECONDS = 10;

/**
 * The ValidatingWebhookConfiguration of the reviewers. It names our own kinds only, so that a webhook that does not answer holds
 * up nobody else, and nothing that deletes or leaves the spec alone, so that it does not even hold up those who clean up.
 */
export function webhookConfiguration(
  reviewers: readonly Reviewer[],
  { client, caBundle, name = "chancery" }: WebhookConfigurationOptions,
): Record<string, unknown> {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: reviewers.map(({ name, path, resource: { group, version, plural }, operations, matchConditions }) => ({
      name,
      admissionReviewVersions: [REVIEW_VERSION.split("/")[1]],
      clientConfig: {
        ...("url" in client ? { url: `${client.url}${path}` } : { service: { ...client.service, path } }),
        ...(caBundle === undefined ? {} : { caBundle: new TextEncoder().encode(caBundle).toBase64() }),
      },
      rules: [{
        apiGroups: [group],
        apiVersions: [version],
        resources: [plural],
        operations: [...operations],
        scope: "Namespaced",
      }],
      matchPolicy: "Equivalent",
      matchConditions: matchConditions.map((condition) => ({ ...condition })),
      failurePolicy: "Fail",
      sideEffects: "None",
      timeoutSeconds: TIMEOUT_SECONDS,
    })),
  };
}
