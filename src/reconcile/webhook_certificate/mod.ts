/**
 * The certificate of the webhook: made, trusted by the API server, shown by all replicas, and changed without a moment in which one of
 * the three is missing. A root signs one certificate and its key is forgotten, so that nothing else can ever be signed by it. Each
 * change goes through these states, all of which are in the cluster:
 *
 *     Secret        Secret -next   caBundle     replicas show
 *     A (trusts A)  -              A            A               Stable
 *     A             B (A, B)       A            A               Trust
 *     A             B              A + B        A               … for as long as API servers take to learn of it
 *     B (A, B)      B, then -      A + B        A, then B       Retire
 *     B (B)         -              A + B, B     B               Stable
 * @module
 */
export { WebhookCertificateController, type WebhookCertificateControllerOptions } from "./controller.ts";
export type { WebhookPlace } from "./gather.ts";
export { WEBHOOK_CERTIFICATE_LABELS } from "./objects.ts";
export type { FoundReplica } from "./inputs.ts";
export type { WebhookCertificatePhase, WebhookCertificatePlan, WebhookCertificateStep } from "./plan.ts";
