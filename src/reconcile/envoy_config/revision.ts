import {
  checkSchema,
  dropNulls,
  EnvoyConfigRevisionSpec,
  type EnvoyConfigRevisionStatus,
  type EnvoyConfigSpec,
} from "../../api/mod.ts";
import { hasErrors } from "../../base/mod.ts";
import { type CompiledSpec, compileSpec } from "../../snapshot/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";

/** An EnvoyConfigRevision as stored, and what reading it gave. */
export interface ReadRevision {
  readonly object: WatchedObject;
  readonly nodeId: string;
  /** As the object says; those of older programs are other hashes. */
  readonly version: string;
  /** Absent when the content cannot be read: then it cannot be served. */
  readonly spec?: EnvoyConfigSpec;
}

/** Reads a revision; `undefined` when it does not even say which node id and version it is of. */
export function readRevision(object: WatchedObject): ReadRevision | undefined {
  const { spec } = object;
  if (spec === null || typeof spec !== "object") return undefined;
  const { nodeID: nodeId, version } = spec as Record<string, unknown>; // an object, just checked
  if (typeof nodeId !== "string" || typeof version !== "string" || version === "") return undefined;
  if (hasErrors(checkSchema(EnvoyConfigRevisionSpec, spec))) return { object, nodeId, version };
  const { resources, envoyResources, serialization } = dropNulls(
    EnvoyConfigRevisionSpec,
    spec as EnvoyConfigRevisionSpec, // just compared with its schema
  );
  const read: EnvoyConfigSpec = envoyResources && !resources
    ? { nodeID: nodeId, envoyResources, serialization: serialization === "yaml" ? "yaml" : "json" }
    : { nodeID: nodeId, resources: resources ?? [] };
  return { object, nodeId, version, spec: read };
}

/** The compiled content of a revision that can be read. */
export function compiledRevision({ object, spec }: ReadRevision): CompiledSpec | undefined {
  return spec && compileSpec(spec, keyOf(object).namespace);
}

/** Written by us, or in the same shape by an older program. */
export function revisionStatusOf(object: WatchedObject): EnvoyConfigRevisionStatus {
  const { status } = object;
  return status !== null && typeof status === "object" ? status as EnvoyConfigRevisionStatus : {};
}

/** Why a revision must not be served, if it must not. */
export function taintOf(object: WatchedObject): { readonly reason: string; readonly message: string } | undefined {
  const { conditions = [] } = revisionStatusOf(object);
  return conditions.find(({ type, status }) => type === "RevisionTainted" && status === "True");
}

/** Whether a revision is marked as the one that is served. */
export function isPublished(object: WatchedObject): boolean {
  const { conditions = [] } = revisionStatusOf(object);
  return conditions.some(({ type, status }) => type === "RevisionPublished" && status === "True");
}

/** Uid of the EnvoyConfig that a revision belongs to. */
export function ownerUidOf(object: WatchedObject): string | undefined {
  return object.metadata.ownerReferences?.find(({ kind }) => kind === "EnvoyConfig")?.uid;
}
