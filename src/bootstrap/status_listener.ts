import type { Json } from "../base/mod.ts";
import type { Address } from "./address/mod.ts";

/** Names of what is made here. Two underscores would be Envoy's own; no EnvoyConfig has these by chance. */
const CLUSTER = "chancery_admin";
const LISTENER = "chancery_status";

/**
 * Under which the listener counts: like the admin interface itself, which everybody who adds up connections or requests leaves out.
 */
const STAT_PREFIX = "admin";

const TYPE = "type.googleapis.com/envoy.extensions.filters.http";
const MANAGER = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

/** How long the admin interface may take for its statistics, of which there may be many. */
const TIMEOUT = "30s";

/** Where the status of an Envoy is shown. */
export interface StatusPlace {
  /** An empty host stands for all addresses. */
  readonly address: Address;
  /** Whether there is IPv6; counts for an empty host alone. */
  readonly ipv6: boolean;
}

/**
 * A listener that shows of the admin interface what probes and scrapers need, and nothing that changes or tells secrets (S5): GET
 * `/ready`, `/live` and `/stats`, with what is below. Envoy's workers answer for it, so that it is open once Envoy has begun to
 * serve. With `untilConfigured`, `/ready` fails until clusters and listeners were accepted once (A4).
 */
export function statusListener(place: StatusPlace, { untilConfigured }: { readonly untilConfigured: boolean }): Json {
  return {
    name: LISTENER,
    stat_prefix: STAT_PREFIX,
    address: listenAddress(place),
    per_connection_buffer_limit_bytes: 32_768,
    filter_chains: [{
      filters: [{
        name: "envoy.filters.network.http_connection_manager",
        typed_config: {
          "@type": MANAGER,
          stat_prefix: STAT_PREFIX,
          // What is looked at is what the admin interface is asked for.
          normalize_path: true,
          merge_slashes: true,
          path_with_escaped_slashes_action: "REJECT_REQUEST",
          route_config: { name: LISTENER, virtual_hosts: [{ name: LISTENER, domains: ["*"], routes: routes() }] },
          http_filters: [
            ...(untilConfigured
              ? [{
                name: "envoy.filters.http.lua",
                typed_config: {
                  "@type": `${TYPE}.lua.v3.Lua`,
                  default_source_code: { inline_string: UNTIL_CONFIGURED },
                },
              }]
              : []),
            { name: "envoy.filters.http.router", typed_config: { "@type": `${TYPE}.router.v3.Router` } },
          ],
        },
      }],
    }],
  };
}

/** The cluster by which the listener reaches the admin interface. */
export function adminCluster(address: Json): Json {
  return {
    name: CLUSTER,
    type: "STATIC",
    connect_timeout: "1s",
    load_assignment: { cluster_name: CLUSTER, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  };
}

function listenAddress({ address, ipv6 }: StatusPlace): Json {
  if (address.kind === "unix") return { pipe: { path: address.path } };
  const { host, port: port_value } = address;
  if (host !== "") return { socket_address: { address: host, port_value } };
  return {
    socket_address: ipv6 ? { address: "::", ipv4_compat: true, port_value } : { address: "0.0.0.0", port_value },
  };
}

function routes(): Json {
  const get = { headers: [{ name: ":method", string_match: { exact: "GET" } }] };
  return [
    { match: { path: "/ready", ...get }, route: { cluster: CLUSTER } },
    // The shortest answer that the main thread gives whatever state Envoy is in (A5).
    { match: { path: "/live", ...get }, route: { cluster: CLUSTER, prefix_rewrite: "/hot_restart_version" } },
    { match: { path_separated_prefix: "/stats", ...get }, route: { cluster: CLUSTER, timeout: TIMEOUT } },
  ];
}

/** When Envoy last accepted clusters and listeners; 0 before the first time. */
const ACCEPTED = String.raw`^(cluster_manager\.cds|listener_manager\.lds)\.update_time$`;

/**
 * Envoy calls itself ready once it was answered, even if it refused what it got. When it first accepted something is a gauge, which
 * nobody resets. Every worker remembers for itself that it has seen both.
 */
const UNTIL_CONFIGURED = `
local accepted = false

local function since(body, what)
  return tonumber(string.match(body, what .. "%.update_time: (%d+)")) or 0
end

function envoy_on_request(request)
  if accepted or string.sub(request:headers():get(":path"), 1, 6) ~= "/ready" then return end
  local _, body = request:httpCall("${CLUSTER}", {
    [":method"] = "GET",
    [":path"] = "/stats?filter=${encodeURIComponent(ACCEPTED)}",
    [":authority"] = "${CLUSTER}",
  }, "", 1000)
  local clusters, listeners = since(body or "", "cds"), since(body or "", "lds")
  if clusters > 0 and listeners > 0 then
    accepted = true
    return
  end
  local missing = clusters > 0 and "listeners" or listeners > 0 and "clusters" or "clusters and listeners"
  request:respond({ [":status"] = "503", ["content-type"] = "text/plain" }, "NO " .. string.upper(missing) .. " ACCEPTED\\n")
end
`.trimStart();
