import type { Finding, PathSegment } from "../../base/mod.ts";
import {
  type MessageSpot,
  type Plain,
  type Reference,
  referencesOf,
  type Registry,
  type ResourceType,
  visitMessages,
} from "../../envoy/mod.ts";
import { trapsOf } from "./traps.ts";

/** What one resource tells about itself and asks of others. Paths count from the resource, in the user's spelling. */
export interface Examined {
  readonly references: readonly Reference[];
  /** Legal settings that bite. */
  readonly traps: readonly Finding[];
  /** Whether something in it may name clusters that nobody can see: a header, Lua, Wasm, an external processor. */
  readonly namesHidden: boolean;
  /** Places of the route tables whose clusters Envoy wants to know when it takes them. */
  readonly checkedTables: readonly (readonly PathSegment[])[];
}

/** Looks through a resource that was read without an error. `value` is the JSON it was read from. */
export function examineResource(
  registry: Registry,
  type: ResourceType,
  { plain, value }: { plain: Plain; value: unknown },
): Examined {
  const traps: Finding[] = [];
  const checkedTables: PathSegment[][] = [];
  let namesHidden = false;
  visitMessages(registry, { message: type.message, plain }, (spot) => {
    for (const trap of trapsOf(spot)) traps.push({ ...trap, path: asSpelt(value, trap.path) });
    if (checksClusters(spot)) checkedTables.push(asSpelt(value, spot.path));
    namesHidden ||= hidesNames(spot);
  });
  const references = referencesOf(registry, type.message, plain).map((reference) => ({
    ...reference,
    path: asSpelt(value, reference.path),
  }));
  return { references, traps, namesHidden, checkedTables };
}

/** A path of .proto names with the names that the user wrote, who may prefer `routeConfigName`. */
function asSpelt(value: unknown, path: readonly PathSegment[]): PathSegment[] {
  let at = value;
  return path.map((segment) => {
    const here = at as Record<PathSegment, unknown> | null | undefined; // only asked for members it has
    const camel = typeof segment === "string" ? segment.replace(/_(.)/g, (_, c: string) => c.toUpperCase()) : segment;
    const spelt = has(here, segment) || !has(here, camel) ? segment : camel;
    at = has(here, spelt) ? here![spelt] : undefined;
    return spelt;
  });
}

function has(value: unknown, key: PathSegment): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

const HCM = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

/** `validate_clusters` is on by default where the table stands in the listener, and off where it comes by RDS. */
function checksClusters({ descriptor, plain, up }: MessageSpot): boolean {
  if (descriptor.name !== "envoy.config.route.v3.RouteConfiguration") return false;
  const wanted = plain["validate_clusters"] as { value?: boolean } | undefined; // a BoolValue
  return wanted === undefined ? up?.descriptor.name === HCM : wanted.value === true;
}

/** Packages whose code or peer chooses clusters at run time. */
const PROGRAMS = /\.(lua|wasm|golang|dynamic_modules|ext_proc|set_filter_state|on_demand|mcp_router)\.v\d/;
const CHOOSERS = ["cluster_header", "cluster_specifier_plugin", "inline_cluster_specifier_plugin", "on_demand"];

function hidesNames({ descriptor, plain }: MessageSpot): boolean {
  return PROGRAMS.test(descriptor.name) ||
    CHOOSERS.some((field) => Boolean(plain[field]) && Object.hasOwn(plain, field));
}
