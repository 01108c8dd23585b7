import { canonicalJson } from "../base/mod.ts";
import type { Condition } from "./metadata.ts";

/**
 * Every condition type we write, with every reason it may have. A pair that is not listed here does not compile. Types and
 * reasons of the first block are as they always were; the second block is ours.
 */
export const CONDITIONS = {
  CacheOutOfSync: {
    CantPublishDesiredVersion: "True: what is served is not what the spec says",
    DesiredVersionPublished: "False: it is again",
  },
  RollbackFailed: {
    AllRevisionsTainted: "True: nothing untainted is left",
    Recovered: "False: there is again",
  },
  RevisionPublished: { VersionPublished: "True: this revision is the one to serve" },
  ResourcesInSync: {
    ResourcesSynced: "True: the snapshot of this revision is served",
    SnapshotDoesNotExist: "False: there is no snapshot",
  },
  RevisionTainted: {
    ResourcesFailing: "True: Envoys refused it",
    FailedLoadingResources: "True: it cannot be decoded",
  },

  /** Whether the spec can be turned into a snapshot. */
  Valid: {
    SpecIsValid: "True: all items were read",
    SpecHasWarnings: "True: all items were read, but the message tells of something that is likely wrong",
    InvalidResources: "False: an item cannot be read; the configuration before it is served on",
  },
  /** Whether all Secrets and EndpointSlices the spec names were found (W19). */
  ResourcesResolved: {
    AllResolved: "True: every Secret and EndpointSlice was found",
    SecretNotFound: "False: a Secret is missing",
    SecretNotUsable: "False: a Secret lacks a key, or holds no usable PEM",
    EndpointsNotFound: "False: no EndpointSlice matches, or none has the port",
  },
  /** Two EnvoyConfigs with one node id (W3). */
  Conflict: {
    NodeIdInUse: "True: an older EnvoyConfig has this node id and is served",
    NodeIdShared: "False: a newer EnvoyConfig has this node id too; this one is served",
    NoConflict: "False: no other EnvoyConfig has this node id any more",
  },
  /** Whether some Envoys refuse what the others take (W16). */
  ClientsRejecting: {
    SomeClientsRefuse: "True: at least one connected Envoy refuses what is served",
    NoClientRefuses: "False: none does any more",
  },
  /** Whether a version is held by the pin annotation. */
  Pinned: {
    VersionPinned: "True: the version named by the annotation is served",
    PinEnded: "False: the spec was changed, or a retry was asked for",
    VersionNotFound: "False: there is no revision of that version",
    VersionTainted: "False: Envoys refused that version",
  },
  /** More rollbacks in a row than can be the fault of the revisions. */
  Flapping: {
    TooManyRollbacks: "True: the next rollback waits",
    Settled: "False: it no longer does",
  },
} as const;

/** A listed condition type. */
export type ConditionType = keyof typeof CONDITIONS;

/** A listed reason of a condition type. */
export type ReasonOf<T extends ConditionType> = Extract<keyof typeof CONDITIONS[T], string>;

/** A condition as a plan wants it; when it changed last is found out against the stored ones. */
export type WantedCondition = Omit<Condition, "lastTransitionTime">;

/** Status messages are for reading, not for archives (W24). In characters. */
const MAX_MESSAGE = 2000;

/** Makes a condition; only listed pairs of type and reason compile. Long messages are cut. */
export function condition<T extends ConditionType>(
  type: T,
  told: { status: Condition["status"]; reason: ReasonOf<T>; message: string; observedGeneration?: number },
): WantedCondition {
  const { status, reason, message, observedGeneration } = told;
  const cut = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
  return { type, status, reason, message: cut, ...(observedGeneration === undefined ? {} : { observedGeneration }) };
}

/**
 * The stored conditions with the wanted ones in place of their namesakes: order kept, `lastTransitionTime` new only where
 * `status` changed. Types in `removed` are dropped; types we do not know are left alone, but where an old program left out
 * what Kubernetes now asks for, it is filled in: one such condition would hold up every write of the status.
 */
export function mergeConditions(
  stored: readonly Condition[],
  wanted: readonly WantedCondition[],
  options: { now: number; removed?: readonly ConditionType[] },
): Condition[] {
  const left = new Map(wanted.map((one) => [one.type, one]));
  const time = new Date(options.now).toISOString().replace(/\.\d+Z$/, "Z"); // Kubernetes' times have whole seconds
  const merged: Condition[] = [];
  for (const before of stored) {
    const after = left.get(before.type);
    left.delete(before.type);
    if (after) {
      const lastTransitionTime = after.status === before.status ? before.lastTransitionTime : time;
      merged.push({ ...after, lastTransitionTime });
    } else if (!options.removed?.some((type) => type === before.type)) merged.push(complete(before, time));
  }
  for (const after of left.values()) merged.push({ ...after, lastTransitionTime: time });
  return merged;
}

function complete(stored: Condition, time: string): Condition {
  const { status, reason, message, lastTransitionTime }: Partial<Condition> = stored; // as it may come from outside
  if (isStatus(status) && reason && message !== undefined && lastTransitionTime) return stored;
  return {
    ...stored,
    status: isStatus(status) ? status : "Unknown",
    reason: reason || "Unknown",
    message: message ?? "",
    lastTransitionTime: lastTransitionTime ?? time,
  };
}

function isStatus(status: unknown): boolean {
  return status === "True" || status === "False" || status === "Unknown";
}

/** Whether two statuses say the same; empty lists and objects count as absent, since the API server drops some (I19). */
export function sameStatus(a: unknown, b: unknown): boolean {
  return canonicalJson(prune(a) ?? null) === canonicalJson(prune(b) ?? null);
}

function prune(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value ?? undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => prune(item) ?? null);
  const kept = Object.entries(value).map(([key, member]) => [key, prune(member)] as const)
    .filter(([, member]) => member !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
