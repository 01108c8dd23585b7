/**
 * Layers of Envoy's runtime that come from files: the smallest thing that an Envoy reads so, and as many as one likes at once.
 * @module
 */
import type { Fields, RunningEnvoy } from "./harness/mod.ts";

/** A discovery response with the one value of a layer, which has the name of the layer. */
export function layerResponse(key: string, value: string): Fields {
  const type = "type.googleapis.com/envoy.service.runtime.v3.Runtime";
  return { resources: [{ "@type": type, name: key, layer: { [key]: value } }] };
}

/** An Envoy that takes layers from where their config sources say, by key. */
export function layersBootstrap(sources: Readonly<Record<string, Fields>>): Fields {
  const layers = Object.entries(sources).map(([key, rtds_config]) => ({
    name: key,
    rtds_layer: { name: key, rtds_config },
  }));
  return { node: { id: "files", cluster: "files" }, layered_runtime: { layers } };
}

/** What Envoy holds, by key. */
export async function layerValues(envoy: RunningEnvoy): Promise<Map<string, string>> {
  const { entries } = JSON.parse(await envoy.admin("/runtime")) as {
    entries: Readonly<Record<string, { readonly final_value: string }>>;
  };
  return new Map(Object.entries(entries).map(([key, { final_value }]) => [key, final_value]));
}
