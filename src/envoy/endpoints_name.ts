import { WIRE, WireReader } from "./wire/reader.ts";

// Field numbers of envoy/config/cluster/v3/cluster.proto and envoy/config/core/v3/config_source.proto
const CLUSTER = { NAME: 1, TYPE: 2, EDS_CLUSTER_CONFIG: 3 };
const EDS_CLUSTER_CONFIG = { EDS_CONFIG: 1, SERVICE_NAME: 2 };
const CONFIG_SOURCE = { API_CONFIG_SOURCE: 2, ADS: 3, SELF: 5 };
const TYPE_EDS = 3;

/**
 * The name under which a cluster asks for its endpoints over xDS: its `service_name`, else its own. Undefined for clusters
 * of another type, for those that read endpoints from a file, and for bytes that are no Cluster. Reads only what it needs,
 * because it is asked for each cluster of each snapshot.
 */
export function endpointsNameOf(cluster: Uint8Array): string | undefined {
  try {
    return scanCluster(new WireReader(cluster));
  } catch {
    return undefined; // what is malformed asks for nothing
  }
}

function scanCluster(reader: WireReader): string | undefined {
  let name = "";
  let isEds = false;
  let overXds = false;
  let serviceName = "";
  while (reader.more()) {
    const tag = reader.tag();
    if (tag === (CLUSTER.NAME << 3 | WIRE.LENGTH)) name = reader.stringVerify();
    else if (tag === CLUSTER.TYPE << 3) isEds = reader.uint32() === TYPE_EDS;
    else if (tag === (CLUSTER.EDS_CLUSTER_CONFIG << 3 | WIRE.LENGTH)) {
      const config = new WireReader(reader.bytes());
      while (config.more()) {
        const inner = config.tag();
        if (inner === (EDS_CLUSTER_CONFIG.EDS_CONFIG << 3 | WIRE.LENGTH)) overXds = isXds(config.bytes());
        else if (inner === (EDS_CLUSTER_CONFIG.SERVICE_NAME << 3 | WIRE.LENGTH)) serviceName = config.stringVerify();
        else config.skipField(inner);
      }
    } else reader.skipField(tag);
  }
  return isEds && overXds ? serviceName || name : undefined;
}

/** Whether a ConfigSource is ADS, an own stream, or the server that sent it, and not a file. */
function isXds(configSource: Uint8Array): boolean {
  const reader = new WireReader(configSource);
  let found = false;
  while (reader.more()) {
    const tag = reader.tag();
    const field = tag >>> 3;
    found ||= field === CONFIG_SOURCE.API_CONFIG_SOURCE || field === CONFIG_SOURCE.ADS || field === CONFIG_SOURCE.SELF;
    reader.skipField(tag);
  }
  return found;
}
