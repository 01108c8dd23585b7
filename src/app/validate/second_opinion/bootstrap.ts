import { canonicalJson, type Json } from "../../../base/mod.ts";
import { BOOTSTRAP, buildBootstrap } from "../../../bootstrap/mod.ts";
import type { Part } from "./parts.ts";

/** A bootstrap that holds the parts, and asks a server that nobody runs for the rest. In canonical JSON. */
export function bootstrapOf(
  parts: readonly Part[],
  { nodeId, foreignClusters }: { nodeId: string; foreignClusters: readonly string[] },
): string {
  const { bootstrap } = buildBootstrap({
    nodeId: nodeId || "validate",
    xds: [{ kind: "tcp", host: "127.0.0.1", port: 1 }],
    mode: "delta",
    runtimeLayer: null,
  });
  const { dynamic_resources: dynamic, static_resources: own, ...rest } = bootstrap as unknown as Shape; // our own document
  const resources: Record<string, Json[]> = {
    clusters: [...own.clusters, ...foreignClusters.filter((name) => name !== BOOTSTRAP.cluster).map(standIn)],
    listeners: [],
    secrets: [],
  };
  for (const { into, json } of parts) resources[into]?.push(json as Json);
  return canonicalJson({ ...rest, dynamic_resources: { ads_config: dynamic.ads_config }, static_resources: resources });
}

interface Shape {
  readonly dynamic_resources: { readonly ads_config: Json };
  readonly static_resources: { readonly clusters: readonly Json[] };
  readonly [field: string]: unknown;
}

/** A cluster that is elsewhere, so that those who name it can be looked at. */
function standIn(name: string): Json {
  return { name, type: "STATIC", connect_timeout: "1s", load_assignment: { cluster_name: name, endpoints: [] } };
}
