import { freezeJson, isRecord, type JsonRecord } from "../../core/json.ts";
import type { StoredObject } from "../../store.ts";
import type { Resource } from "../resources.ts";

/** What `kubectl apply` leaves behind: a whole second copy of the object, of a Secret with its data. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * An object as it is kept: without what nobody here reads and what makes up half of its size. Items of lists and metadata
 * alone come without their kind, which is put back.
 */
export function slim(value: JsonRecord, resource: Resource): StoredObject {
  const { apiVersion, kind, keepManagedFields = false } = resource;
  const { apiVersion: _a, kind: _k, metadata, ...content } = value;
  const rest = SLIM[kind]?.(content) ?? content;
  // the API server gives every object a name, a uid and a version
  return freezeJson({
    apiVersion,
    kind,
    metadata: slimMetadata(metadata, { kind, keepManagedFields }),
    ...rest,
  }) as unknown as StoredObject;
}

/** Of kinds of which there are many, what is read. */
const SLIM: Readonly<Record<string, (content: JsonRecord) => JsonRecord>> = {
  Secret: () => ({}),
  EndpointSlice: slimSlice,
  Pod: slimPod,
};

/** An object with everything in it, as the API server gave it. */
export function whole(value: JsonRecord, { apiVersion, kind }: Resource): StoredObject {
  const { apiVersion: _a, kind: _k, metadata, ...content } = value;
  // the API server gives every object a name, a uid and a version
  const object = { apiVersion, kind, metadata: named(isRecord(metadata) ? metadata : {}), ...content };
  return freezeJson(object) as unknown as StoredObject;
}

/** A Secret with its content, otherwise as slim as one without. */
export function slimSecret(secret: StoredObject): StoredObject {
  const { type, immutable, data } = secret;
  const metadata = slimMetadata(secret.metadata, { kind: "Secret" });
  const content = { type, data, ...(immutable === undefined ? {} : { immutable }) };
  const { apiVersion, kind } = secret;
  return freezeJson({ apiVersion, kind, metadata, ...content }) as unknown as StoredObject; // it was one before
}

function slimMetadata(
  metadata: unknown,
  { kind, keepManagedFields = false }: Pick<Resource, "kind" | "keepManagedFields">,
): JsonRecord {
  const { managedFields, selfLink: _s, annotations, ...others } = isRecord(metadata) ? metadata : {};
  const rest = keepManagedFields && managedFields !== undefined ? { ...others, managedFields } : others;
  if (kind === "Pod") return named(slimPodMetadata(rest));
  if (kind === "Secret" || kind === "EndpointSlice" || !isRecord(annotations)) return named(rest);
  const { [LAST_APPLIED]: _l, ...kept } = annotations;
  return named(Object.keys(kept).length > 0 ? { ...rest, annotations: kept } : rest);
}

function named(metadata: JsonRecord): JsonRecord {
  return { ...metadata, namespace: metadata["namespace"] ?? "" };
}

function slimSlice({ addressType, ports, endpoints }: JsonRecord): JsonRecord {
  const kept = (Array.isArray(endpoints) ? endpoints : []).filter(isRecord).map(({ addresses, conditions, zone }) => ({
    addresses,
    ...(conditions === undefined ? {} : { conditions }),
    ...(zone === undefined ? {} : { zone }),
  }));
  return { addressType, endpoints: kept, ...(ports === undefined ? {} : { ports }) };
}

/** Where a pod is, and whether it is ready. */
function slimPod({ status }: JsonRecord): JsonRecord {
  if (!isRecord(status)) return {};
  const { phase, podIP, conditions } = status;
  const kept = Array.isArray(conditions)
    ? conditions.filter(isRecord).filter(({ type }) => type === "Ready").map(({ type, status }) => ({ type, status }))
    : undefined;
  return {
    status: {
      ...(phase !== undefined && { phase }),
      ...(podIP !== undefined && { podIP }),
      ...(kept !== undefined && { conditions: kept }),
    },
  };
}

/** Who owns a pod, and who holds up its end, is nobody's business here. */
function slimPodMetadata({ ownerReferences: _o, finalizers: _f, ...kept }: JsonRecord): JsonRecord {
  return kept;
}
