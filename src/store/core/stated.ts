import { ChanceryError, type ObjectKey } from "../../base/mod.ts";
import type { ApplyObject, ObjectMeta } from "../store.ts";
import { copyJson, isRecord, type JsonRecord } from "./json.ts";
import { mergeStringData } from "./secret.ts";

/** Fields of metadata that a client may state; the rest belongs to the store. */
const STATED_METADATA = ["labels", "annotations", "ownerReferences"] as const;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A checked copy of what a client states. */
export interface Stated {
  readonly key: ObjectKey;
  readonly apiVersion: string;
  /** What the client wants to own: content and the metadata it may state. */
  readonly content: JsonRecord;
  readonly resourceVersion?: string;
  readonly uid?: string;
}

/**
 * Why the object cannot be stored whatever its kind: it lacks a kind, or its name, a label or an annotation is no legal one
 * (the rules of Kubernetes). Empty when it can.
 */
export function identityFaults(object: unknown): { path: (string | number)[]; message: string }[] {
  if (!isRecord(object)) return [{ path: [], message: "an object must be a mapping" }];
  const faults: { path: (string | number)[]; message: string }[] = [];
  for (const field of ["apiVersion", "kind"]) {
    const value = object[field];
    if (typeof value !== "string" || value === "" || (field === "kind" && value.includes("/"))) {
      faults.push({ path: [field], message: `${field} must be a word` });
    }
  }
  const metadata = object["metadata"];
  if (!isRecord(metadata)) {
    return [...faults, { path: ["metadata"], message: "metadata must be a mapping with a name" }];
  }
  const { name, namespace } = metadata;
  if (typeof name !== "string" || name.length > 253 || !SUBDOMAIN.test(name)) {
    const message = "a name has at most 253 small letters, digits, dashes and dots, with a letter or digit at each end";
    faults.push({ path: ["metadata", "name"], message });
  }
  const namespaceOk = namespace === undefined || namespace === "" ||
    (typeof namespace === "string" && namespace.length <= 63 && SUBDOMAIN.test(namespace) && !namespace.includes("."));
  if (!namespaceOk) {
    const message = "a namespace has at most 63 small letters, digits and dashes, with a letter or digit at each end";
    faults.push({ path: ["metadata", "namespace"], message });
  }
  return [...faults, ...mapFaults(metadata, "labels"), ...mapFaults(metadata, "annotations")];
}

function mapFaults(metadata: JsonRecord, field: "labels" | "annotations") {
  const map = metadata[field];
  if (map === undefined || map === null) return [];
  if (!isRecord(map)) return [{ path: ["metadata", field], message: `${field} must be a mapping of words` }];
  return Object.entries(map).flatMap(([key, value]) => {
    const path = ["metadata", field, key];
    const name = key.slice(key.lastIndexOf("/") + 1);
    const prefix = key.includes("/") ? key.slice(0, key.lastIndexOf("/")) : undefined;
    const prefixOk = prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix));
    if (!prefixOk || name.length > 63 || !LABEL_NAME.test(name)) {
      return [{
        path,
        message: `the key of a ${field.slice(0, -1)} must be a qualified name such as example.com/part`,
      }];
    }
    if (typeof value !== "string") return [{ path, message: `the value must be a string; put it in quotes` }];
    if (field === "labels" && (value.length > 63 || (value !== "" && !LABEL_NAME.test(value)))) {
      return [{ path, message: "the value of a label has at most 63 letters, digits, dashes, dots and underscores" }];
    }
    return [];
  });
}

/** Checks and copies what a client states, without what it may not state. Throws `invalid-input`. */
export function readStated(object: ApplyObject, subresource: "status" | undefined): Stated {
  const fault = identityFaults(object)[0];
  if (fault) {
    throw new ChanceryError("invalid-input", `Cannot store object at "${fault.path.join(".")}": ${fault.message}`);
  }
  const { metadata, apiVersion, kind } = object;
  const { apiVersion: _a, kind: _k, metadata: _m, status, ...rest } = object;
  const statedMetadata = Object.fromEntries(
    STATED_METADATA.map((field) => [field, metadata[field]] as const).filter(([, value]) => value != null),
  );
  const wanted = subresource === "status"
    ? { status }
    : { ...rest, ...(Object.keys(statedMetadata).length > 0 ? { metadata: statedMetadata } : {}) };
  const content = copyJson(wanted) as JsonRecord; // a record goes in, so a record comes out
  return {
    key: { kind, namespace: metadata.namespace ?? "", name: metadata.name },
    apiVersion,
    content: kind === "Secret" && apiVersion === "v1" ? mergeStringData(content) : content,
    ...(metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
    ...(metadata.uid ? { uid: metadata.uid } : {}),
  };
}

/** The content of a stored object that clients may state; shares its parts, which are frozen. */
export function statableContent(
  object: { readonly metadata: ObjectMeta; readonly [field: string]: unknown },
): JsonRecord {
  const { apiVersion: _a, kind: _k, metadata, ...rest } = object;
  const kept = Object.fromEntries(
    STATED_METADATA.map((field) => [field, metadata[field]] as const).filter(([, value]) => value !== undefined),
  );
  return { ...rest, ...(Object.keys(kept).length > 0 ? { metadata: kept } : {}) };
}
