import { envoyRegistry, readResource, resourceTypeOfItem } from "../../src/envoy/mod.ts";
import { contentVersion, revisionVersion } from "../../src/snapshot/mod.ts";
import type { ResourceItem } from "../../src/api/mod.ts";
import {
  edsCluster,
  endpoints,
  envoyConfig,
  type Fields,
  listener,
  route,
  routeConfiguration,
  staticCluster,
} from "../envoy/harness/mod.ts";
import type { TypeName, WrittenResource } from "./journal.ts";
import type { Random } from "./random.ts";

/** Marks a listener that every client refuses; in a field that Envoy shows in its statistics. */
export const REFUSED_BY_ALL = "refused-by-all";
/** Marks a listener that one client alone refuses. */
export const REFUSED_BY_ONE = "refused-by-one";

interface Part {
  readonly name: string;
  /** Distinguishes two contents of one name. */
  readonly mark: string;
}
interface Cluster extends Part {
  readonly eds: boolean;
  readonly endpointsMark: string;
}
interface Route extends Part {
  readonly cluster: string;
}
interface Listener extends Part {
  readonly to: { readonly rds: string } | { readonly cluster: string };
  readonly bad?: "all" | "odd";
}

/** What one node is to be configured with: small, and nothing in it refers to nothing. */
export interface World {
  readonly clusters: readonly Cluster[];
  readonly routes: readonly Route[];
  readonly listeners: readonly Listener[];
}

/** Another world, in which about half of everything is as it was. */
export function nextWorld(
  random: Random,
  { before, serial, bad }: { before?: World | undefined; serial: number; bad?: "all" | "odd" | undefined },
): World {
  const mark = `w${serial}`;
  const markOf = (old: Part | undefined) => old && random.chance(0.5) ? old.mark : mark;
  const named = <T extends Part>(list: readonly T[] | undefined, name: string) =>
    list?.find((one) => one.name === name);
  const clusters = random.some(["a", "b", "c", "d"]).map((name): Cluster => {
    const old = named(before?.clusters, name);
    const eds = old && random.chance(0.7) ? old.eds : random.chance(0.5);
    const endpointsMark = old && random.chance(0.5) ? old.endpointsMark : mark;
    return { name, mark: markOf(old), eds, endpointsMark };
  });
  const cluster = () => random.pick(clusters).name;
  const routes = random.some(["r", "s"]).map((name): Route => ({
    name,
    mark: markOf(named(before?.routes, name)),
    cluster: cluster(),
  }));
  const names = random.some(["l", "m", "n"]);
  const odd = bad && random.pick(names);
  const listeners = names.map((name): Listener => ({
    name,
    mark: name === odd ? mark : markOf(named(before?.listeners, name)),
    to: random.chance(0.5) ? { rds: random.pick(routes).name } : { cluster: cluster() },
    ...(name === odd && bad && { bad }),
  }));
  return { clusters, routes, listeners };
}

/** An EnvoyConfig as it is to stand in the directory, with what is to come of it. */
export interface Manifest {
  readonly object: Fields;
  readonly version: string;
  readonly resources: readonly WrittenResource[];
}

/** The EnvoyConfig of a world. Every node gets one secret, `token`, which is made from the Secret called as the node. */
export function manifestOf(node: string, world: World): Manifest {
  const items = [
    ...world.clusters.flatMap(clusterItems),
    ...world.routes.map(routeItem),
    ...world.listeners.map(listenerItem),
  ];
  const bad = new Map(world.listeners.map(({ name, bad }) => [name, bad]));
  const secret = { type: "secret", generateFromOpaqueSecret: { name: node, key: "token", alias: "token" } };
  const all = [...items, secret];
  return {
    object: envoyConfig(node, all),
    version: revisionVersion(node, all as unknown as readonly ResourceItem[]), // written as the schema has them
    resources: items.map((item) => {
      const written = writtenResource(item);
      const refusedBy = written.type === "LDS" ? bad.get(written.name) : undefined;
      return refusedBy ? { ...written, bad: refusedBy } : written;
    }),
  };
}

/** The Secret from which a node's `token` is made, and its version on the wire. */
export function secretOf(node: string, canary: string): { object: Fields; hash: string } {
  const metadata = { name: node, namespace: "default" };
  const object = { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: { token: btoa(canary) } };
  const value = { name: "token", generic_secret: { secret: { inline_bytes: btoa(canary) } } };
  return { object, hash: hashOf("secret", value) };
}

/** A Secret of which nothing can be made. */
export function garbageSecret(node: string, canary: string): Fields {
  const metadata = { name: node, namespace: "default" };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: { other: btoa(canary) } };
}

function clusterItems({ name, mark, eds, endpointsMark }: Cluster): Fields[] {
  if (!eds) return [staticCluster(name, [9], { alt_stat_name: mark })];
  const item = endpoints(name, [9]) as { value: { endpoints: Fields[] } } & Fields; // as just made
  const localities = item.value.endpoints.map((one) => ({ ...one, locality: { zone: endpointsMark } }));
  return [edsCluster(name, { alt_stat_name: mark }), { ...item, value: { ...item.value, endpoints: localities } }];
}

function routeItem({ name, mark, cluster }: Route): Fields {
  const value = routeConfiguration(name, { cluster });
  const hosts = value["virtual_hosts"] as Fields[]; // as just made
  return {
    ...route(name, { cluster }),
    value: { ...value, virtual_hosts: hosts.map((one) => ({ ...one, name: mark })) },
  };
}

const BAD_MARKS = { all: REFUSED_BY_ALL, odd: REFUSED_BY_ONE };

function listenerItem({ name, mark, to, bad }: Listener): Fields {
  const item = listener(name, { port: 10000 + name.charCodeAt(0), routes: to });
  const statPrefix = bad ? `${BAD_MARKS[bad]}-${mark}` : mark;
  return { ...item, value: { ...item["value"] as Fields, stat_prefix: statPrefix } }; // as just made
}

function writtenResource(item: Fields): WrittenResource {
  const value = item["value"] as Fields; // every item here has one
  const type = resourceTypeOfItem(String(item["type"]))!; // a type of the table
  return {
    type: type.short as TypeName, // one of the four written above
    name: String(value[type.nameField]),
    hash: hashOf(type.item, value),
  };
}

function hashOf(item: string, value: Fields): string {
  const { bytes, findings } = readResource(envoyRegistry(), resourceTypeOfItem(item)!, value, {});
  if (!bytes) throw new Error(`the harness wrote a wrong ${item}: ${JSON.stringify(findings)}`);
  return contentVersion(bytes);
}
