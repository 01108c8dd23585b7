import type { Json, PathSegment } from "../../../base/mod.ts";
import { REDACTED, type Registry, resourceTypeOf, toJson } from "../../../envoy/mod.ts";
import type { BuiltItem } from "../../../snapshot/mod.ts";

/** One resource as a piece of a bootstrap. */
export interface Part {
  /** Pieces of the first stage are asked about before those that may need them. */
  readonly stage: "supply" | "use";
  readonly into: "secrets" | "clusters" | "listeners";
  readonly json: Readonly<Record<string, Json>>;
  /** Place of the resource in the object. */
  readonly path: readonly PathSegment[];
  /** `listener "edge"` */
  readonly label: string;
}

/** A config in pieces. */
export interface Parts {
  readonly parts: readonly Part[];
  /** Names of clusters that are referred to and come from elsewhere. */
  readonly foreignClusters: readonly string[];
  /** Texts that nobody may see in an answer. */
  readonly secrets: readonly string[];
}

type Members = Readonly<Record<string, Json>>;

/**
 * What Envoy can be shown of a config: clusters, listeners and secrets as they are, endpoints as a cluster of their own, route
 * tables and virtual hosts each in a listener of its own. Extension configs, scoped routes and runtime are left out: what
 * they mean depends on who asks for them.
 */
export function partsOf(built: readonly BuiltItem[], registry: Registry): Parts {
  const secrets = new Set<string>();
  const shown = built.flatMap(({ item: { item, path }, resource }) => {
    const type = resource && resourceTypeOf(resource.typeUrl);
    if (!type) return [];
    const json = toJson(registry, type.message, resource.body, { reveal: true }) as Members; // a message is an object
    collectHidden(toJson(registry, type.message, resource.body), json, secrets);
    return [{ type: type.item, name: resource.name, json, path: item.value ? [...path, "value"] : path }];
  });
  const own = new Set(shown.filter(({ type }) => type === "secret").map(({ name }) => name));
  const parts = shown.flatMap(({ type, name, json, path }, index): Part[] => {
    const about = { path, label: `${type} ${JSON.stringify(name)}` };
    const piece = withStaticSecrets(json, own) as Members; // an object stays one
    switch (type) {
      case "secret":
        return [{ ...about, stage: "supply", into: "secrets", json: piece }];
      case "cluster":
        return [{ ...about, stage: "supply", into: "clusters", json: piece }];
      case "endpoint":
        return [{ ...about, stage: "supply", into: "clusters", json: clusterOf(piece, index) }];
      case "listener":
        return [{ ...about, stage: "use", into: "listeners", json: { ...piece, name: name || `chancery-${index}` } }];
      case "route":
        return [{ ...about, stage: "use", into: "listeners", json: listenerOf(piece, index) }];
      case "virtualHost":
        return [{
          ...about,
          stage: "use",
          into: "listeners",
          json: listenerOf({ name, virtual_hosts: [piece] }, index),
        }];
      default:
        return [];
    }
  });
  const clusters = new Set(shown.filter(({ type }) => type === "cluster").map(({ name }) => name));
  const asked = built.flatMap(({ examined }) => examined?.references ?? []).filter(({ item }) => item === "cluster");
  const foreignClusters = [...new Set(asked.map(({ name }) => name))].filter((name) => !clusters.has(name));
  return { parts, foreignClusters, secrets: [...secrets] };
}

/** Endpoints stand in no bootstrap by themselves. */
function clusterOf(endpoints: Members, index: number): Members {
  const { cluster_name: _, ...assignment } = endpoints;
  const name = `chancery-endpoints-${index}`;
  return { name, type: "STATIC", connect_timeout: "1s", load_assignment: { ...assignment, cluster_name: name } };
}

const HCM = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";

function listenerOf(table: Members, index: number): Members {
  const name = `chancery-routes-${index}`;
  const manager = {
    "@type": HCM,
    stat_prefix: name,
    route_config: { ...table, vhds: null, validate_clusters: table["validate_clusters"] ?? false },
    http_filters: [{ name: "router", typed_config: { "@type": ROUTER } }],
  };
  return {
    name,
    address: { socket_address: { address: "127.0.0.1", port_value: 0 } },
    filter_chains: [{ filters: [{ name: "http", typed_config: manager }] }],
  };
}

/** A secret that would come by xDS is looked for in the bootstrap when it is there, so that Envoy really loads it. */
function withStaticSecrets(json: Json, own: ReadonlySet<string>): Json {
  if (Array.isArray(json)) return json.map((item: Json) => withStaticSecrets(item, own));
  if (json === null || typeof json !== "object") return json;
  const members = Object.entries(json as Members).filter(([key]) =>
    key !== "sds_config" || typeof (json as Members)["name"] !== "string" ||
    !own.has((json as Members)["name"] as string)
  );
  return Object.fromEntries(members.map(([key, value]) => [key, withStaticSecrets(value, own)]));
}

/** The texts that stand where the other copy says that nothing is to be seen. */
function collectHidden(redacted: unknown, revealed: unknown, into: Set<string>): void {
  if (redacted === REDACTED) return collectTexts(revealed, into);
  if (typeof redacted !== "object" || redacted === null || typeof revealed !== "object" || revealed === null) return;
  for (const [key, value] of Object.entries(redacted)) collectHidden(value, (revealed as Members)[key], into);
}

function collectTexts(value: unknown, into: Set<string>): void {
  if (typeof value === "string") into.add(value);
  else if (typeof value === "object" && value !== null) {
    Object.values(value).forEach((item) => collectTexts(item, into));
  }
}
