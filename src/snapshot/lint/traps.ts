import type { Finding } from "../../base/mod.ts";
import type { MessageSpot } from "../../envoy/mod.ts";

/** Listeners wait this long for clusters at most (rollout order, step b), so a first health check should be over by then. */
const LISTENERS_WAIT_S = 5;

type Trap = (spot: MessageSpot) => Finding | undefined;

/** What Envoy takes and people regret, and little that it does not take, by the message in which it shows. */
const TRAPS: ReadonlyMap<string, readonly Trap[]> = new Map<string, readonly Trap[]>([
  ["envoy.config.core.v3.ConfigSource", [endlessFetch, noSource]],
  ["envoy.config.core.v3.HealthCheck", [slowHealthCheck]],
  ["envoy.config.listener.v3.Listener", [noAddress, noFilterChain]],
  ["envoy.config.cluster.v3.Cluster", [edsOfAnother]],
]);

/** The traps of one message; paths count from the outermost. */
export function trapsOf(spot: MessageSpot): Finding[] {
  return (TRAPS.get(spot.descriptor.name) ?? []).flatMap((trap) => trap(spot) ?? []);
}

function endlessFetch({ plain, path }: MessageSpot): Finding | undefined {
  const seconds = secondsOf(plain["initial_fetch_timeout"]);
  if (seconds !== 0) return undefined;
  return {
    severity: "warning",
    path: [...path, "initial_fetch_timeout"],
    message: "0s means for ever: while the resource is missing, what needs it never becomes active",
    rule: "endless-fetch",
    value: "0s",
  };
}

function slowHealthCheck({ plain, path, up }: MessageSpot): Finding | undefined {
  const seconds = secondsOf(plain["timeout"]);
  if (seconds === undefined || seconds <= LISTENERS_WAIT_S) return undefined;
  if (up?.descriptor.name !== "envoy.config.cluster.v3.Cluster") return undefined;
  return {
    severity: "warning",
    path: [...path, "timeout"],
    message: `a new cluster waits for its first health check: at most ${LISTENERS_WAIT_S}s keeps updates quick ` +
      "when a host does not answer",
    rule: "slow-health-check",
    value: `${seconds}s`,
  };
}

/** Not in the rules of the API, but Envoy refuses it: "address is necessary". */
function noAddress({ plain, path, up }: MessageSpot): Finding | undefined {
  if (up || ["address", "internal_listener", "api_listener"].some((field) => plain[field] !== undefined)) {
    return undefined;
  }
  const message = "address must be set, or internal_listener, or api_listener";
  return { severity: "error", path, message, rule: "listener-address" };
}

/** Envoy: "no filter chains specified", unless datagrams are received. */
function noFilterChain({ plain, path, up }: MessageSpot): Finding | undefined {
  const address = plain["address"] as { socket_address?: { protocol?: number }; pipe?: unknown } | undefined; // an Address
  const stream = address?.pipe !== undefined ||
    (address?.socket_address && (address.socket_address.protocol ?? 0) === 0);
  const chains = plain["filter_chains"] as readonly unknown[] | undefined; // FilterChains
  const matched = plain["filter_chain_matcher"] ?? plain["default_filter_chain"] ?? plain["fcds_config"];
  if (up || !stream || (chains?.length ?? 0) > 0 || matched !== undefined) return undefined;
  return {
    severity: "error",
    path,
    message: "at least one of filter_chains must be set",
    rule: "listener-filter-chains",
  };
}

const EDS = 3; // envoy.config.cluster.v3.Cluster.DiscoveryType

/** Envoy: "eds_cluster_config set in a non-EDS cluster". */
function edsOfAnother({ plain, path }: MessageSpot): Finding | undefined {
  const eds = plain["eds_cluster_config"] as { eds_config?: unknown } | undefined; // an EdsClusterConfig
  if (plain["type"] === EDS && eds?.eds_config === undefined) {
    // Envoy: "cannot create an EDS cluster without an EDS config"
    return {
      severity: "error",
      path,
      message: "a cluster of type EDS needs eds_cluster_config.eds_config",
      rule: "eds-cluster",
    };
  }
  if (eds === undefined || plain["type"] === EDS) return undefined;
  return {
    severity: "error",
    path: [...path, "eds_cluster_config"],
    message: "only a cluster of type EDS may have eds_cluster_config",
    rule: "eds-cluster",
  };
}

const SPECIFIERS = ["ads", "self", "api_config_source", "path", "path_config_source"];

/** Envoy: "Missing config source specifier". */
function noSource({ plain, path }: MessageSpot): Finding | undefined {
  if (SPECIFIERS.some((field) => Object.hasOwn(plain, field))) return undefined;
  const message = `one of ${SPECIFIERS.join(", ")} must be set`;
  return { severity: "error", path, message, rule: "config-source" };
}

/** Of a google.protobuf.Duration, `undefined` when it is not set. */
function secondsOf(duration: unknown): number | undefined {
  if (typeof duration !== "object" || duration === null) return undefined;
  const { seconds = 0, nanos = 0 } = duration as { seconds?: number | bigint; nanos?: number }; // Codec's form of it
  return Number(seconds) + nanos / 1e9;
}
