import type { ResourceItem } from "../api/mod.ts";
import { type Finding, hasErrors, type PathSegment } from "../base/mod.ts";
import { type Registry, resourceTypeOfItem } from "../envoy/mod.ts";
import { contentVersion, type ItemCache, type ReadItem, readItem } from "./read_item.ts";
import { resolveEndpointSlices } from "./resolve/endpoint_slices.ts";
import {
  type CheckKeyPair,
  resolveOpaqueSecret,
  resolveTlsCertificate,
  resolveValidationContext,
} from "./resolve/secrets.ts";
import type { Resolved, SourceProblem, Sources } from "./resolve/sources.ts";
import type { Resource } from "./resource.ts";
import { revisionVersion } from "./revision_version.ts";
import { secretNames, secretSource } from "./secret_names.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";
import type { SpecItem, SpecItems } from "./spec_items.ts";
import { lastGoodKey, slicesSource, type UsedSources, usedSources } from "./used_sources.ts";

/** What {@linkcode buildSnapshot} looks at. */
export interface BuildInput {
  readonly nodeId: string;
  readonly namespace: string;
  /** The items of the spec, as `specItems` gives them. */
  readonly spec: SpecItems;
  readonly sources: Sources;
  /** Encoded resources that earlier builds made from other objects, by {@linkcode Built.lastGood}'s keys. */
  readonly lastGood?: ReadonlyMap<string, Uint8Array>;
  /** The build before, so that what did not change is neither encoded nor sent again. */
  readonly previous?: Pick<Built, "items" | "snapshot">;
}

/** A Secret or EndpointSlice that an item needs and does not get. */
export interface MissingSource extends SourceProblem {
  /** Path of the item in the object. */
  readonly path: readonly PathSegment[];
  /** What is served meanwhile: the bytes from before, an empty answer, or nothing under that name. */
  readonly served: "last-good" | "empty" | "nothing";
}

/** Outcome of {@linkcode buildSnapshot}. */
export interface Built {
  /** Version of the spec; also the snapshot's revision. */
  readonly version: string;
  /** Absent when a finding is an error: then what is served stays. */
  readonly snapshot?: Snapshot;
  /** About the spec; paths count from the object. */
  readonly findings: readonly Finding[];
  /** About the objects it names, as warnings: they never stop the rest (W19). */
  readonly sourceFindings: readonly Finding[];
  readonly missing: readonly MissingSource[];
  readonly used: UsedSources;
  /** What to keep for the next build: everything that was made from other objects and is served now. */
  readonly lastGood: ReadonlyMap<string, Uint8Array>;
  readonly items: ItemCache;
}

/** Options of {@linkcode buildSnapshot}. */
export interface BuildOptions {
  readonly registry: Registry;
  readonly checkKeyPair?: CheckKeyPair;
}

/**
 * The snapshot of one EnvoyConfig. Pure: same spec and objects give the same bytes, whatever their order of arrival (I18).
 * A missing Secret or slice leaves all other resources as they are.
 */
export function buildSnapshot(input: BuildInput, options: BuildOptions): Built {
  const { spec, namespace, nodeId, previous } = input;
  const items = spec.items.map(({ item }) => item);
  const names = secretNames(items);
  const state: BuildState = {
    findings: [...spec.findings],
    sourceFindings: [],
    missing: [],
    lastGood: new Map(),
    cache: new Map(),
  };
  const resources: Resource[] = [];
  const seen = new Map<string, readonly PathSegment[]>();
  for (const [index, specItem] of spec.items.entries()) {
    if (specItem.broken) continue;
    const name = names.get(index);
    const key = lastGoodKey(namespace, specItem.item, name);
    const resource = key === undefined
      ? readValue(specItem, state, { input, options })
      : readSource(specItem, state, { input, options, key, name: name ?? "" });
    if (!resource) continue;
    const id = `${resource.typeUrl}\0${resource.name}`;
    if (seen.has(id)) state.findings.push(duplicate(specItem, resource.name));
    seen.set(id, specItem.path);
    resources.push(resource);
  }
  const version = revisionVersion(nodeId, items);
  const { findings, sourceFindings, missing, lastGood, cache } = state;
  const built = { version, findings, sourceFindings, missing, used: usedSources(items), lastGood, items: cache };
  if (hasErrors(findings)) return built;
  return { ...built, snapshot: keepIdentity(resources, version, previous?.snapshot) };
}

interface BuildState {
  readonly findings: Finding[];
  readonly sourceFindings: Finding[];
  readonly missing: MissingSource[];
  readonly lastGood: Map<string, Uint8Array>;
  readonly cache: Map<string, ReadItem>;
}

interface Context {
  readonly input: BuildInput;
  readonly options: BuildOptions;
}

function readValue({ item, path, valuePath }: SpecItem, state: BuildState, context: Context): Resource | undefined {
  if (!item.value) {
    // Only an object that was stored without a check gets here.
    state.findings.push({ severity: "error", path, message: `value must be set for type ${item.type}`, rule: "item" });
    return undefined;
  }
  const { type, value, routeConfiguration } = item;
  const read = readItem({ type, value, routeConfiguration }, caches(state, context));
  for (const finding of read.findings) state.findings.push({ ...finding, path: [...valuePath, ...finding.path] });
  return read.resource;
}

function readSource(
  { item, path }: SpecItem,
  state: BuildState,
  context: Context & { key: string; name: string },
): Resource | undefined {
  const { input, options, key, name } = context;
  const resolved = resolve(item, { name, sources: input.sources, checkKeyPair: options.checkKeyPair });
  for (const note of resolved.notes ?? []) state.sourceFindings.push({ ...note, path: [...path, ...note.path] });
  const value = resolved.value;
  const read = value && readItem({ type: item.type, value }, caches(state, context));
  // What comes from a Secret may be quoted by a finding, so it is only told that there is one.
  const problem = resolved.problem ?? (read && !read.resource ? unreadable(item) : undefined);
  if (!problem) {
    if (read?.resource) state.lastGood.set(key, read.resource.body);
    return read?.resource;
  }
  const kept = input.lastGood?.get(key);
  const served = kept ? "last-good" : read?.resource ? "empty" : "nothing";
  state.missing.push({ ...problem, path, served });
  state.sourceFindings.push({
    severity: "warning",
    path,
    message: `${problem.message}; ${SERVED[served]}`,
    rule: problem.kind,
  });
  if (!kept) return read?.resource;
  state.lastGood.set(key, kept);
  return resourceFromBytes(item, kept, name);
}

const SERVED: Readonly<Record<MissingSource["served"], string>> = {
  "last-good": "what was there before is served on",
  empty: "an empty answer is served",
  nothing: "the rest is served without it",
};

function resolve(
  item: ResourceItem,
  { name, sources, checkKeyPair }: { name: string; sources: Sources; checkKeyPair: CheckKeyPair | undefined },
): Resolved {
  const slices = slicesSource(item);
  if (slices) return resolveEndpointSlices(slices, sources);
  if (secretSource(item) === "opaque") return resolveOpaqueSecret(item.generateFromOpaqueSecret!, sources);
  const secret = item.generateFromTlsSecret!; // the only source left: a key was found for the item
  return item.blueprint === "validationContext"
    ? resolveValidationContext(secret, { sources, name })
    : resolveTlsCertificate(secret, { sources, name, checkKeyPair });
}

function resourceFromBytes(item: ResourceItem, body: Uint8Array, name: string): Resource {
  const typeUrl = resourceTypeOfItem(item.type)!.typeUrl; // encoded once, so the type is known
  return { typeUrl, name: slicesSource(item)?.clusterName ?? name, version: contentVersion(body), body };
}

function unreadable(item: ResourceItem): SourceProblem {
  const slices = slicesSource(item);
  if (slices) {
    const cluster = JSON.stringify(slices.clusterName);
    return {
      kind: "endpoints-not-found",
      message: `endpoints of cluster ${cluster} make no valid ClusterLoadAssignment`,
    };
  }
  const name = item.generateFromTlsSecret ?? item.generateFromOpaqueSecret?.name ?? "";
  return { kind: "secret-not-usable", message: `Secret ${JSON.stringify(name)} makes no valid xDS secret` };
}

function caches(state: BuildState, { input, options }: Context) {
  return { registry: options.registry, before: input.previous?.items ?? new Map(), after: state.cache };
}

function duplicate({ item, path }: SpecItem, name: string): Finding {
  const message = `${item.type} ${JSON.stringify(name)} is defined more than once, the last one counts`;
  return { severity: "warning", path, message, rule: "duplicate" };
}

/** The snapshot before when it says the same, so that a reconcile without a change is seen to be one. */
function keepIdentity(resources: readonly Resource[], revision: string, previous: Snapshot | undefined): Snapshot {
  const made = snapshotOf(resources, { revision, ...(previous ? { previous } : {}) });
  if (!previous || previous.revision !== revision || previous.types.size !== made.types.size) return made;
  for (const [typeUrl, type] of made.types) if (previous.types.get(typeUrl) !== type) return made;
  return previous;
}
