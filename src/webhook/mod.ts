/**
 * Admission: a review in, an answer out. Pure; the server around it is in `app/webhook/`.
 * @module
 */
export { type AdmissionAnswer, answerOf } from "./answer.ts";
export {
  mutatingWebhookConfiguration,
  type WebhookClient,
  webhookConfiguration,
  type WebhookConfigurationOptions,
} from "./configuration.ts";
export { type NodeIdHolder, NodeIds } from "./envoy_config/node_ids.ts";
export { envoyConfigReviewer, type EnvoyConfigReviewerOptions, type NodeIdScope } from "./envoy_config/reviewer.ts";
export { podReviewer, type PodReviewerOptions } from "./pod/reviewer.ts";
export { type AdmissionRequest, readReview, REVIEW_VERSION } from "./review.ts";
export { type Operation, reviewBy, type Reviewer } from "./reviewer.ts";
export type { Verdict, VerdictReason } from "./verdict.ts";
export { virtualServiceReviewer } from "./virtual_service/reviewer.ts";
