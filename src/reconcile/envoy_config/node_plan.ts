import type { ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { Built, CheckKeyPair, Snapshot } from "../../snapshot/mod.ts";
import type { WantedStatus } from "../engine/apply_statuses.ts";
import type { ConfigEvent, WatchedObject } from "../engine/object_source.ts";
import type { Seen, Served } from "./inputs.ts";
import type { WantedReport } from "./plan_reports.ts";
import type { RevisionObject } from "./revision_object.ts";

/** What shall be true of one node id. Whoever applies it keeps the order of the fields: each state in between is sound. */
export interface NodePlan {
  readonly nodeId: string;
  /** The revision of what is wanted, where it is not stored: to be made first, and planned again with it. */
  readonly create?: RevisionObject;
  /** The stored revision whose owner is no more, and which that takes over. */
  readonly replaces?: WatchedObject;
  /** Taints, and the mark of the revision that is served: before what is served changes. */
  readonly first: readonly WantedStatus[];
  /** `set`: serve this from now on. `keep`: what is served stays, changed or not. `gone`: nobody configures it any more. */
  readonly output:
    | { readonly kind: "set"; readonly snapshot: Snapshot; readonly retryRefused: boolean }
    | { readonly kind: "keep" }
    | { readonly kind: "gone" };
  /** Whether `output` follows from a decision that is written by `first`, and not only from Secrets and slices. */
  readonly decided: boolean;
  readonly events: readonly ConfigEvent[];
  /** Revisions that are no longer served, and configs that are not. */
  readonly then: readonly WantedStatus[];
  readonly removals: readonly WatchedObject[];
  /** Revisions that carry the finalizer of an older program. */
  readonly finalized: readonly WatchedObject[];
  /** What this replica has to say on what was served when the plan was made. */
  readonly report?: WantedReport;
  /** Counts of Envoys, where nothing else is new: how often they are written is bounded. */
  readonly counts?: WantedStatus;
  /** What replicas told that are no more. Some of it `waits` until our own report tells that their Envoys are expected here. */
  readonly dead: readonly { readonly object: WatchedObject; readonly replica: string; readonly waits: boolean }[];
  /** When to look again if nothing happens; milliseconds since the epoch. */
  readonly lookAt?: number;
  /** Memory for the next plan. */
  readonly served?: Served;
  readonly seen?: Seen;
  /** Bytes to keep in place of what this node kept before; absent to leave them. */
  readonly lastGood?: ReadonlyMap<string, Uint8Array>;
  /** The EnvoyConfig that is served, and what there is to say about its spec. */
  readonly source?: { readonly key: ObjectKey; readonly built?: Built };
}

/** Options of {@linkcode planNode}. */
export interface PlanOptions {
  readonly registry: Registry;
  readonly checkKeyPair?: CheckKeyPair;
}
