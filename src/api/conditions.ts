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
    InvalidSpec: "False: a part of it cannot be served and is left out",
  },
  /** Whether all Secrets and EndpointSlices the spec names were found (W19). */
  ResourcesResolved: {
    AllResolved: "True: every Secret and EndpointSlice was found",
    SecretNotFound: "False: a Secret is missing",
    SecretNotUsable: "False: a Secret lacks a key, or holds no usable PEM",
    EndpointsNotFound: "False: no EndpointSlice matches, or none has the port",
  },
  /** Two EnvoyConfigs with one node id (W3), or a name or a port that two want on one pod. */
  Conflict: {
    NodeIdInUse: "True: an older EnvoyConfig has this node id and is served",
    NodeIdShared: "False: a newer EnvoyConfig has this node id too; this one is served",
    NameOrPortInUse: "True: an EnvoyConfig or an older VirtualService has it, and a listener is left out",
    NoConflict: "False: nobody else has it any more",
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

  /** Whether what the operator made of an object can be used; the condition to look at first. */
  Ready: {
    AllReplicasReady: "True: every wanted pod is ready",
    ReplicasNotReady: "False: some wanted pods are not ready",
    NothingMade: "False: nothing was made yet, Reconciled tells why",
    CertificateUsable: "True: the certificate can be used now",
    CertificateNotUsable: "False: there is no certificate, or it cannot be used now",
  },
  /** Whether everything that belongs to an object is as the object says. */
  Reconciled: {
    AsWanted: "True: it is",
    Paused: "False: the annotation says to leave it alone",
    InvalidSpec: "False: the spec contradicts itself",
    NameTaken: "False: an object of a name that is needed belongs to somebody else (C9)",
    NotTheOldest: "False: an older DiscoveryService of the namespace is served (C17)",
    DiscoveryServiceNotFound: "False: the DiscoveryService that is named does not exist (O1)",
    EnvoyConfigNotFound: "False: the EnvoyConfig that is named does not exist (O1)",
    CertificateNotReady: "False: a certificate that pods need is not there yet",
    WriteRefused: "False: the API server does not take what would have to be made",
  },
  /** Whether Envoys can verify the discovery service from now on (S1). */
  ServerVerifiable: {
    NamesAndBundleInPlace: "True: the certificate has the names that Envoys dial, and the bundle exists",
    CertificateNotReady: "False: there is no certificate that can be used",
    NamesMissing: "False: the certificate lacks a name that Envoys dial",
    BundleMissing: "False: there is nothing to verify it with",
  },
  /** Whether clients without a right to their node id are refused (S2). */
  ClientsAuthorized: {
    NamespaceRequired: "True: a client needs a certificate that is good for its namespace",
    NodeIdRequired: "True: a client needs a certificate that is good for its very node id",
    WarningOnly: "False: clients without the right are served, and a warning is logged",
    CertificatesLackUris: "False: some certificates do not say yet what they are good for",
    ClientsReadTheirs:
      "Unknown, False where a clock was set back: all certificates say so, and clients have some time to read theirs",
  },
  /** Whether a certificate is as its spec says. */
  UpToDate: {
    AsWanted: "True: it is",
    RenewalDisabled: "False: it would be issued again if renewal were on",
    IssuerNotTrusted: "False: it is issued again when everybody has been told of the new certificate authority",
    InvalidSpec: "False: the spec cannot be carried out (C5)",
    SecretNotOwned: "False: the Secret was made by somebody else and is left alone (C6)",
    SecretIncomplete: "False: the Secret lacks a part and is left alone (C6)",
    SecretUnreadable: "False: the Secret holds something else and is left alone (C6)",
    KeyMismatch: "False: key and certificate do not belong together (C6)",
    IssuerNotFound: "False: there is nobody to sign it",
    IssuerNotReady: "False: whoever is to sign it is being made or changed",
    IssuerNotAllowed: "False: whoever is to sign it is not for this namespace (S8)",
    SecretMissing: "False: it is being issued for the first time",
    ContentChanged: "False: it is being issued again, for it does not say what it shall (C5)",
    IssuerChanged: "False: it is being issued again by another certificate authority",
    NotYetValid: "False: it is being issued again, for it begins too late",
    NearExpiry: "False: it is being issued again before it ends",
    TrustIncomplete: "False: what is to be trusted is being written",
  },
  /** Whether a certificate ends although it should have been replaced. */
  ExpiresSoon: {
    EndsSoon: "True: it ends soon",
    Ended: "True: it has ended",
    NotSoon: "False: there is time",
  },
  /** Whether a certificate authority may sign for another namespace (S8). */
  IssuerAllowed: {
    AllowedByAnnotation: "True: its Secret says so",
    NotAllowed: "False: its Secret does not say so; what it has signed already is renewed for now",
  },
  /** Whether a certificate authority is being changed. */
  Rotating: {
    NextIsTold: "True: everybody is being told to trust the next one",
    NextSigns: "True: what the earlier one signed is being issued again",
    EarlierIsTrusted: "True: the earlier one is trusted until what it signed has ended",
    NotRotating: "False: there is one, and it is trusted",
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
