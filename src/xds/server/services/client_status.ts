import { envoyRegistry, type Plain } from "../../../envoy/mod.ts";
import type { Route } from "../exchange.ts";
import { nodeMatcher } from "./node_matcher.ts";
import { dialogue, unary } from "./unary.ts";

/** What the server knows of its clients. */
export interface ClientStatusSource {
  clients(): Iterable<ClientStatus>;
}

/** One stream of one client. */
export interface ClientStatus {
  /** An encoded envoy.config.core.v3.Node; absent until the client said who it is. */
  readonly node: Uint8Array | undefined;
  readonly resources: Iterable<ClientResource>;
}

/** One resource that a client was sent, or asked for. Its content is not shown: it may be a secret. */
export interface ClientResource {
  readonly typeUrl: string;
  readonly name: string;
  /** The version that the client uses, as far as it has said so. */
  readonly version: string;
  readonly state: ClientResourceState;
  /** The client's words when it refused a version. */
  readonly error?: { readonly version: string; readonly details: string; readonly at?: number };
  /** When the version was sent, in milliseconds since the epoch. */
  readonly updatedAt?: number;
}

/**
 * `not-sent`: asked for and not there; `stale`: sent and not yet acknowledged; `synced`: acknowledged; `error`: refused.
 */
export type ClientResourceState = "synced" | "not-sent" | "stale" | "error";

const SERVICE = "envoy.service.status.v3.ClientStatusDiscoveryService";

/** `envoy.service.status.v3.ConfigStatus` */
const STATUS: Readonly<Record<ClientResourceState, number>> = { synced: 1, "not-sent": 2, stale: 3, error: 4 };

/**
 * The client status discovery service: which client has what.
 * https://www.envoyproxy.io/docs/envoy/latest/api-v3/service/status/v3/csds.proto
 */
export function clientStatusRoutes(source: ClientStatusSource): Route[] {
  const answer = (request: Uint8Array) => respond(request, source);
  return [unary(`/${SERVICE}/FetchClientStatus`, answer), dialogue(`/${SERVICE}/StreamClientStatus`, answer)];
}

function respond(request: Uint8Array, source: ClientStatusSource): Uint8Array {
  const registry = envoyRegistry();
  const nodes = registry.codec("envoy.config.core.v3.Node");
  const asked = registry.codec("envoy.service.status.v3.ClientStatusRequest").decode(request);
  const wanted = nodeMatcher(asked.node_matchers);
  const config: Plain[] = [];
  for (const { node: bytes, resources } of source.clients()) {
    const node = bytes ? nodes.decode(bytes) : undefined;
    if (!wanted(typeof node?.id === "string" ? node.id : "")) continue;
    config.push({ ...(node && { node }), generic_xds_configs: Array.from(resources, describe) });
  }
  return registry.codec("envoy.service.status.v3.ClientStatusResponse").encode({ config });
}

function describe({ typeUrl, name, version, state, error, updatedAt }: ClientResource): Plain {
  return {
    type_url: typeUrl,
    name,
    version_info: version,
    config_status: STATUS[state],
    ...(updatedAt !== undefined && { last_updated: timestamp(updatedAt) }),
    ...(error && {
      error_state: {
        version_info: error.version,
        details: error.details,
        ...(error.at !== undefined && { last_update_attempt: timestamp(error.at) }),
      },
    }),
  };
}

function timestamp(ms: number): Plain {
  const seconds = Math.floor(ms / 1_000);
  return { seconds, nanos: Math.round((ms - seconds * 1_000) * 1e6) };
}
