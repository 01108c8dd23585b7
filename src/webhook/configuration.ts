import { FAILURE_POLICY_ANNOTATION } from "../api/mod.ts";
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
  /** Namespaces whose objects are looked at; of pods all but those of the cluster itself and of the webhook when absent. */
  readonly namespaces?: readonly string[];
}

/**
 * As long as Kubernetes waits when nothing is said; a review takes milliseconds, a failing one should not hold up a
 * person.
 */
const TIMEOUT_SECONDS = 10;

/** Namespaces whose pods bring a cluster back to life; no webhook may stand in their way (A8). */
const SYSTEM_NAMESPACES = ["kube-system", "kube-public", "kube-node-lease"];

/** Nobody gets past it by calling when it does not answer. */
const ANNOTATIONS = { [FAILURE_POLICY_ANNOTATION]: "Fail" } as const;

/** The label that every namespace has. */
const NAMESPACE_NAME = "kubernetes.io/metadata.name";

/**
 * The ValidatingWebhookConfiguration of the reviewers that change nothing. It names our own kinds only, so that a
 * webhook that does
 * not answer holds up nobody else, and nothing that deletes or leaves the spec alone, so that it does not even hold up
 * those who clean up.
 */
export function webhookConfiguration(
  reviewers: readonly Reviewer[],
  options: WebhookConfigurationOptions,
): Record<string, unknown> {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: options.name ?? "chancery", annotations: ANNOTATIONS },
    webhooks: reviewers.filter(({ mutates }) => !mutates).map((reviewer) => ({
      ...entryOf(reviewer, options),
      ...(options.namespaces && { namespaceSelector: { matchExpressions: [among(options.namespaces)] } }),
    })),
  };
}

/**
 * The MutatingWebhookConfiguration of the reviewers that change objects. It asks about what carries our label, in
 * namespaces that are
 * not needed to bring the webhook itself back (A8): one that does not answer holds up only those who want something of it.
 */
export function mutatingWebhookConfiguration(
  reviewers: readonly Reviewer[],
  options: WebhookConfigurationOptions,
): Record<string, unknown> {
  const { client, namespaces } = options;
  const own = "service" in client ? [client.service.namespace] : [];
  const spared = { key: NAMESPACE_NAME, operator: "NotIn", values: [...SYSTEM_NAMESPACES, ...namespaces ? [] : own] };
  const namespaceSelector = { matchExpressions: [...namespaces ? [among(namespaces)] : [], spared] };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: options.name ?? "chancery", annotations: ANNOTATIONS },
    webhooks: reviewers.flatMap((reviewer) =>
      reviewer.mutates
        ? [{
          ...entryOf(reviewer, options),
          namespaceSelector,
          objectSelector: { matchLabels: { ...reviewer.mutates.objectSelector.matchLabels } },
          reinvocationPolicy: "Never",
        }]
        : []
    ),
  };
}

function among(namespaces: readonly string[]) {
  return { key: NAMESPACE_NAME, operator: "In", values: [...namespaces] };
}

function entryOf(
  { name, path, resource: { group, version, plural }, operations, matchConditions }: Reviewer,
  { client, caBundle }: WebhookConfigurationOptions,
): Record<string, unknown> {
  return {
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
    ...(matchConditions.length > 0 && { matchConditions: matchConditions.map((condition) => ({ ...condition })) }),
    failurePolicy: "Fail",
    sideEffects: "None",
    timeoutSeconds: TIMEOUT_SECONDS,
  };
}
