import type { EndpointSlice, ResourceItem, Secret } from "../api/mod.ts";
import { type Registry, resourceTypeOfItem } from "../envoy/mod.ts";
import type { CompiledItem } from "./compiled_spec.ts";
import { contentVersion, encodeItem, type ReadItem } from "./read_item.ts";
import { resolveEndpointSlices } from "./resolve/endpoint_slices.ts";
import {
  type CheckKeyPair,
  resolveOpaqueSecret,
  resolveTlsCertificate,
  resolveValidationContext,
  secretNotFound,
} from "./resolve/secrets.ts";
import type { Resolved, SourceProblem, Sources } from "./resolve/sources.ts";
import type { Resource } from "./resource.ts";
import { secretSource } from "./secret_names.ts";
import { slicesSource } from "./used_sources.ts";

/** What an item's objects gave. Stands as long as they are the same objects, for a stored object does not change. */
export interface BuiltSource {
  readonly inputs: readonly (Secret | EndpointSlice | undefined)[];
  readonly resolved: Resolved;
  /** The encoded resource, when there is a value. */
  readonly resource?: Resource;
}

/** What was made from other objects, by source key. */
export type SourceCache = ReadonlyMap<string, BuiltSource>;

/** Resolves and encodes an item that is made from other objects, unless `before` was made from the very same. */
export function buildSource(
  { item, secretName = "" }: CompiledItem,
  { sources, registry, checkKeyPair, before }: {
    sources: Sources;
    registry: Registry;
    checkKeyPair?: CheckKeyPair | undefined;
    before: BuiltSource | undefined;
  },
): BuiltSource {
  const slices = slicesSource(item);
  const inputs = slices ? [...sources.slices(slices.selector)].sort(byName) : [sources.secret(secretOf(item))];
  if (before && sameObjects(before.inputs, inputs)) return before;
  const resolved = slices
    ? resolveEndpointSlices(slices, inputs as EndpointSlice[]) // as they were just selected
    : resolveSecret(item, inputs[0] as Secret | undefined, { name: secretName, checkKeyPair });
  const read = resolved.value && encodeItem({ type: item.type, value: resolved.value }, registry);
  if (read && !read.resource) return { inputs, resolved: { ...resolved, problem: unreadable(item, read) } };
  return { inputs, resolved, ...(read?.resource ? { resource: { ...read.resource, external: true } } : {}) };
}

/** The resource that an item made earlier, from its bytes. */
export function resourceFromBytes({ item, secretName = "" }: CompiledItem, body: Uint8Array): Resource {
  const typeUrl = resourceTypeOfItem(item.type)!.typeUrl; // encoded once, so the type is known
  const name = slicesSource(item)?.clusterName ?? secretName;
  return { typeUrl, name, version: contentVersion(body), body, external: true };
}

function resolveSecret(
  item: ResourceItem,
  secret: Secret | undefined,
  options: { name: string; checkKeyPair: CheckKeyPair | undefined },
): Resolved {
  if (!secret) return secretNotFound(secretOf(item));
  if (secretSource(item) === "opaque") return resolveOpaqueSecret(secret, item.generateFromOpaqueSecret!);
  return item.blueprint === "validationContext"
    ? resolveValidationContext(secret, options)
    : resolveTlsCertificate(secret, options);
}

function secretOf(item: ResourceItem): string {
  return (secretSource(item) === "tls" ? item.generateFromTlsSecret : item.generateFromOpaqueSecret?.name) ?? "";
}

/** What comes from a Secret may be quoted by a finding, so it is only told that there is one. */
function unreadable(item: ResourceItem, { findings }: ReadItem): SourceProblem {
  const slices = slicesSource(item);
  if (!slices) {
    return { kind: "secret-not-usable", message: `Secret ${JSON.stringify(secretOf(item))} makes no valid xDS secret` };
  }
  const why = findings[0] ? `: ${findings[0].message}` : "";
  const cluster = JSON.stringify(slices.clusterName);
  return { kind: "endpoints-not-found", message: `the endpoints of cluster ${cluster} cannot be served${why}` };
}

function sameObjects(before: BuiltSource["inputs"], now: BuiltSource["inputs"]): boolean {
  return before.length === now.length && before.every((object, index) => object === now[index]);
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;
}
