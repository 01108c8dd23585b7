import { envoyRegistry, type Plain, resourceTypeOf } from "../../src/envoy/mod.ts";
import { contentVersion } from "../../src/snapshot/mod.ts";
import type { WireResource } from "./journal.ts";
import { REFUSED_BY_ALL, REFUSED_BY_ONE } from "./worlds.ts";

const HTTP = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const EDS_TYPE = 3; // Cluster.DiscoveryType.EDS

/** What the bytes of a resource say. */
export function factsOf(typeUrl: string, version: string, body: Uint8Array): WireResource {
  const type = resourceTypeOf(typeUrl)!; // clients ask for types of the table
  const message = envoyRegistry().codec(type.message).decode(body);
  const fact = { name: String(message[type.nameField]), version, hash: contentVersion(body) };
  if (type.short === "CDS") return { ...fact, eds: message["type"] === EDS_TYPE };
  if (type.short === "RDS") return { ...fact, ...targetOf(message) };
  if (type.short !== "LDS") return fact;
  const mark = String(message["stat_prefix"]);
  const bad = mark.startsWith(REFUSED_BY_ALL) ? "all" : mark.startsWith(REFUSED_BY_ONE) ? "odd" : undefined;
  const filter = record(list(record(list(message["filter_chains"])[0])["filters"])[0]);
  const { value } = record(filter["typed_config"]);
  const http = envoyRegistry().codec(HTTP).decode(value as Uint8Array); // an Any has bytes
  const rds = record(http["rds"])["route_config_name"];
  const to = rds === undefined ? targetOf(record(http["route_config"])) : { route: String(rds) };
  return { ...fact, ...to, ...(bad && { bad }) };
}

function targetOf(routes: Plain): { cluster?: string } {
  const host = record(list(routes["virtual_hosts"])[0]);
  const cluster = record(record(list(host["routes"])[0])["route"])["cluster"];
  return cluster === undefined ? {} : { cluster: String(cluster) };
}

function record(value: unknown): Plain {
  return (value ?? {}) as Plain; // decoded messages; what is not there reads as empty
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
