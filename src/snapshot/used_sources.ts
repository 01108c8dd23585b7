import type { LabelSelector, ResourceItem } from "../api/mod.ts";
import { canonicalJson } from "../base/mod.ts";
import { secretSource } from "./secret_names.ts";

/** The objects of its namespace that a config draws from: what a reverse index holds (W34). */
export interface UsedSources {
  /** Names of Secrets, sorted, each once. */
  readonly secrets: readonly string[];
  /** Selectors of EndpointSlices, each once. */
  readonly selectors: readonly LabelSelector[];
}

/** Which Secrets and EndpointSlices the items name, found or not. */
export function usedSources(items: readonly ResourceItem[]): UsedSources {
  const secrets = new Set<string>();
  const selectors = new Map<string, LabelSelector>();
  for (const item of items) {
    const source = secretSource(item);
    if (source === "tls") secrets.add(item.generateFromTlsSecret!);
    if (source === "opaque") secrets.add(item.generateFromOpaqueSecret!.name);
    const slices = slicesSource(item);
    if (slices) selectors.set(canonicalJson(slices.selector), slices.selector);
  }
  return { secrets: [...secrets].sort(), selectors: [...selectors.values()] };
}

/** The slices of an endpoint item that has no value of its own. */
export function slicesSource(item: ResourceItem): ResourceItem["generateFromEndpointSlices"] {
  return item.type === "endpoint" && !item.value ? item.generateFromEndpointSlices : undefined;
}

/**
 * Names the resource that an item makes from other objects, so that its last good bytes can be kept while those objects are
 * gone; `undefined` for an item that stands for itself. Two items with equal keys make equal bytes.
 */
export function sourceKey(namespace: string, item: ResourceItem, name: string | undefined): string | undefined {
  const slices = slicesSource(item);
  if (slices) return canonicalJson(["endpoints", namespace, slices.clusterName, slices.targetPort, slices.selector]);
  switch (secretSource(item)) {
    case "tls": {
      const blueprint = item.blueprint ?? "tlsCertificate";
      return canonicalJson(["tls", namespace, item.generateFromTlsSecret, blueprint, name]);
    }
    case "opaque":
      return canonicalJson(["opaque", namespace, item.generateFromOpaqueSecret]);
    default:
      return undefined;
  }
}
