/**
 * From the objects of one node to an immutable, checked, encoded snapshot. Pure: same objects, same bytes.
 * @module
 */
export { admitEnvoyConfig, admitObject, type Admitted } from "./admit.ts";
export {
  type BuildCache,
  type BuildInput,
  type BuildOptions,
  buildSnapshot,
  type Built,
  type BuiltItem,
  type MissingSource,
} from "./build.ts";
export { type CompiledItem, type CompiledSpec, compileSpec } from "./compiled_spec.ts";
export { type Inspected, inspectEnvoyConfig, type InspectOptions } from "./lint/inspect.ts";
export { contentVersion, encodeItem, type ItemCache, type ReadItem } from "./read_item.ts";
export { parsePublication, type Publication, publicationId } from "./publication.ts";
export { resolveEndpointSlices } from "./resolve/endpoint_slices.ts";
export type { CheckKeyPair } from "./resolve/secrets.ts";
export { type Resolved, type SourceProblem, type Sources, sourcesOf } from "./resolve/sources.ts";
export type { Resource } from "./resource.ts";
export { revisionVersion } from "./revision_version.ts";
export { type Snapshot, snapshotOf, type SnapshotOptions, type TypeSnapshot } from "./snapshot.ts";
export type { UsedSources } from "./used_sources.ts";
