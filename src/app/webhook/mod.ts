/**
 * The webhook as a process: HTTPS, certificate files, the list of EnvoyConfigs, probes, metrics.
 * @module
 */
export type { WebhookOptions } from "./options.ts";
export { type OpenStore, type RunningWebhook, startWebhook, type WebhookParts } from "./webhook.ts";
export { runWebhook } from "./run.ts";
