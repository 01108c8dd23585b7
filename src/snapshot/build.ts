import { type Finding, hasErrors, type PathSegment } from "../base/mod.ts";
import type { Registry } from "../envoy/mod.ts";
import { buildSource, type BuiltSource, resourceFromBytes, type SourceCache } from "./build_source.ts";
import type { CompiledItem, CompiledSpec } from "./compiled_spec.ts";
import type { Examined } from "./lint/examine.ts";
import { type ItemCache, type ReadItem, readItem } from "./read_item.ts";
import { type Publication, publicationId, versionOnWire } from "./publication.ts";
import type { CheckKeyPair } from "./resolve/secrets.ts";
import type { SourceProblem, Sources } from "./resolve/sources.ts";
import type { Resource } from "./resource.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** What one build made and the next need not make again; holds nothing but what that build used. */
export interface BuildCache {
  readonly items: ItemCache;
  readonly sources: SourceCache;
}

/** What {@linkcode buildSnapshot} looks at. */
export interface BuildInput {
  readonly spec: CompiledSpec;
  /** What is published of it; the spec's own version when absent. */
  readonly publication?: Publication;
  /** The objects of the spec's namespace. */
  readonly sources: Sources;
  /** Encoded resources that earlier builds made from other objects, by source key. */
  readonly lastGood?: ReadonlyMap<string, Uint8Array>;
  /** The build before, so that what did not change is neither encoded nor sent again. */
  readonly previous?: { readonly cache: BuildCache; readonly snapshot?: Snapshot };
}

/** Options of {@linkcode buildSnapshot}. */
export interface BuildOptions {
  readonly registry: Registry;
  readonly checkKeyPair?: CheckKeyPair;
  /** Whether to look for what resources ask of each other and for traps; false when absent. */
  readonly examine?: boolean;
}

/** An item with what it gave. */
export interface BuiltItem {
  readonly item: CompiledItem;
  /** Absent where it could not be read, or what it is made from is missing. */
  readonly resource?: Resource;
  /** Only where asked for, and not of what is made from other objects, which asks for nothing. */
  readonly examined?: Examined;
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
  /** Absent when a finding is an error: then what is served stays. Its revision is the {@linkcode publicationId}. */
  readonly snapshot?: Snapshot;
  /** What the items gave, in their order; there also when others could not be read. */
  readonly built: readonly BuiltItem[];
  /** About the spec; paths count from the object. */
  readonly findings: readonly Finding[];
  /** About the objects it names, as warnings: they never stop the rest (W19). */
  readonly sourceFindings: readonly Finding[];
  readonly missing: readonly MissingSource[];
  /** What to keep for the next build: everything that was made from other objects and is served now, by source key. */
  readonly lastGood: ReadonlyMap<string, Uint8Array>;
  readonly cache: BuildCache;
}

/**
 * The snapshot of one EnvoyConfig. Pure: same spec and objects give the same bytes, whatever their order of arrival (I18).
 * A missing Secret or slice leaves all other resources as they are.
 */
export function buildSnapshot(input: BuildInput, options: BuildOptions): Built {
  const { spec, previous } = input;
  const build = new Build(input, options);
  const made: BuiltItem[] = [];
  const seen = new Set<string>();
  for (const item of spec.items) {
    if (item.broken) continue;
    const { resource, examined } = item.sourceKey === undefined
      ? build.value(item)
      : { resource: build.source(item, item.sourceKey), examined: undefined };
    made.push({ item, ...(resource ? { resource } : {}), ...(examined ? { examined } : {}) });
    if (!resource) continue;
    const id = `${resource.typeUrl}\0${resource.name}`;
    if (seen.has(id)) build.findings.push(duplicate(item, resource.name));
    seen.add(id);
  }
  const { findings, sourceFindings, missing, lastGood, items, sources } = build;
  const built = { built: made, findings, sourceFindings, missing, lastGood, cache: { items, sources } };
  if (hasErrors(findings)) return built;
  const resources = made.flatMap(({ resource }) => resource ?? []);
  const publication = input.publication ?? { version: spec.version, rollbackCount: 0 };
  const told = publication.rollbackCount === 0
    ? resources
    : resources.map((resource) => ({ ...resource, version: versionOnWire(resource.version, publication) }));
  return { ...built, snapshot: keepIdentity(told, publicationId(publication), previous?.snapshot) };
}

/** What one build gathers on its way. */
class Build {
  readonly findings: Finding[];
  readonly sourceFindings: Finding[] = [];
  readonly missing: MissingSource[] = [];
  readonly lastGood = new Map<string, Uint8Array>();
  readonly items = new Map<string, ReadItem>();
  readonly sources = new Map<string, BuiltSource>();
  readonly #input: BuildInput;
  readonly #options: BuildOptions;

  constructor(input: BuildInput, options: BuildOptions) {
    this.findings = [...input.spec.findings];
    this.#input = input;
    this.#options = options;
  }

  /** The resource of an item that stands for itself. */
  value({ item, path, valuePath }: CompiledItem): Partial<ReadItem> {
    const { type, value, routeConfiguration } = item;
    if (!value) {
      // Only an object that was stored without a check gets here.
      this.findings.push({ severity: "error", path, message: `value must be set for type ${type}`, rule: "item" });
      return {};
    }
    const before = this.#input.previous?.cache.items ?? new Map();
    const { registry, examine } = this.#options;
    const read = readItem({ type, value, routeConfiguration }, { registry, before, after: this.items, examine });
    for (const finding of read.findings) this.findings.push({ ...finding, path: [...valuePath, ...finding.path] });
    return read;
  }

  /** The resource of an item that is made from other objects. */
  source(item: CompiledItem, key: string): Resource | undefined {
    const { sources, previous, lastGood } = this.#input;
    const before = previous?.cache.sources.get(key);
    const built = buildSource(item, { ...this.#options, sources, before });
    this.sources.set(key, built);
    const { resolved: { problem, notes = [] }, resource } = built;
    for (const note of notes) this.sourceFindings.push({ ...note, path: [...item.path, ...note.path] });
    if (!problem) {
      if (resource) this.lastGood.set(key, resource.body);
      return resource;
    }
    const kept = lastGood?.get(key);
    this.#tell(problem, { item, served: kept ? "last-good" : resource ? "empty" : "nothing" });
    if (!kept) return resource;
    this.lastGood.set(key, kept);
    return resourceFromBytes(item, kept);
  }

  #tell(problem: SourceProblem, { item, served }: { item: CompiledItem; served: MissingSource["served"] }): void {
    const { path } = item;
    const message = `${problem.message}; ${SERVED[served]}`;
    this.missing.push({ ...problem, path, served });
    this.sourceFindings.push({ severity: "warning", path, message, rule: problem.kind });
  }
}

const SERVED: Readonly<Record<MissingSource["served"], string>> = {
  "last-good": "what was there before is served on",
  empty: "an empty answer is served",
  nothing: "the rest is served without it",
};

function duplicate({ item, path }: CompiledItem, name: string): Finding {
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
