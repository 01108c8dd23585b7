import type { ItemTypeName } from "../api/mod.ts";
import { canonicalJson, type Finding, hasErrors } from "../base/mod.ts";
import { sha256Hex, shortHash } from "../base/hash/mod.ts";
import { endpointsNameOf, readResource, type Registry, type ResourceType, resourceTypeOfItem } from "../envoy/mod.ts";
import { type Examined, examineResource } from "./lint/examine.ts";
import type { Resource } from "./resource.ts";

/** A resource in proto3 JSON, and what decides its bytes besides. */
export interface Readable {
  readonly type: ItemTypeName;
  readonly value: Readonly<Record<string, unknown>>;
  /** Virtual hosts only: the route configuration, which is the first half of their xDS name. */
  readonly routeConfiguration?: string | undefined;
}

/** What a resource became. Without errors among the findings there is a resource. */
export interface ReadItem {
  readonly resource?: Resource;
  /** Paths count from the resource. */
  readonly findings: readonly Finding[];
  /** Only where a build asks for it. */
  readonly examined?: Examined;
}

/** Read resources by content: what one build made, the next need not encode again. Keys are hashes, bounded by the config. */
export type ItemCache = ReadonlyMap<string, ReadItem>;

/** Version of content: 80 bits of its hash. */
export function contentVersion(body: Uint8Array): string {
  return shortHash(body, 16);
}

/** Reads a resource, or takes it from the cache `before`; either way it is in `after` then. */
export function readItem(
  readable: Readable,
  { registry, before, after, examine }: {
    registry: Registry;
    before: ItemCache;
    after: Map<string, ReadItem>;
    examine?: boolean | undefined;
  },
): ReadItem {
  const key = contentKey(readable);
  const known = after.get(key) ?? before.get(key) ?? encodeItem(readable, registry, { examine });
  after.set(key, known);
  return known;
}

/** Objects of the store do not change, so the hash of a value is that of the object. */
const KEYS = new WeakMap<object, string>();

function contentKey({ type, value, routeConfiguration }: Readable): string {
  let content = KEYS.get(value);
  if (content === undefined) KEYS.set(value, content = sha256Hex(canonicalJson(value)));
  return `${type} ${content} ${routeConfiguration ?? ""}`;
}

/** Reads a resource without a cache. */
export function encodeItem(
  { type: item, value, routeConfiguration }: Readable,
  registry: Registry,
  { examine }: { examine?: boolean | undefined } = {},
): ReadItem {
  const type = resourceTypeOfItem(item);
  if (!type) throw new TypeError(`No resource type for item type "${item}"`); // the schema admits known types only
  const read = readResource(registry, type, value, {});
  const { findings } = read;
  const examined = examine && read.partial && examineResource(registry, type, { plain: read.partial, value });
  const more = examined ? { examined } : {};
  if (!read.bytes || hasErrors(findings)) return { findings, ...more };
  const resource = resourceOf(type, read.bytes, { name: read.name, routeConfiguration, plain: read.plain });
  return { resource, findings, ...more };
}

function resourceOf(
  type: ResourceType,
  body: Uint8Array,
  { name, routeConfiguration, plain }: {
    name: string;
    routeConfiguration: string | undefined;
    plain: Readonly<Record<string, unknown>> | undefined;
  },
): Resource {
  const resource = { typeUrl: type.typeUrl, name, version: contentVersion(body), body };
  if (type.item === "cluster") {
    const endpointsName = endpointsNameOf(body);
    return endpointsName === undefined ? resource : { ...resource, endpointsName };
  }
  if (type.item === "virtualHost") {
    const domains = Array.isArray(plain?.domains) ? plain.domains.map(String) : [];
    return { ...resource, name: `${routeConfiguration ?? ""}/${name}`, domains };
  }
  return resource;
}
