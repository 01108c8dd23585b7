import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import {
  buildSnapshot,
  type Built,
  type CheckKeyPair,
  revisionVersion,
  type Snapshot,
  specItems,
} from "../../snapshot/mod.ts";
import type { WantedStatus } from "../engine/apply_statuses.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { byAge } from "./choose.ts";
import type { ConfigInput, NodeInputs, Served } from "./inputs.ts";
import { conflictStatus, servingStatus } from "./status.ts";

/** What shall be true of one node id. */
export interface NodePlan {
  readonly nodeId: string;
  /** `set`: serve this from now on. `keep`: what is served stays, changed or not. `gone`: nobody configures it any more. */
  readonly output:
    | { readonly kind: "set"; readonly snapshot: Snapshot }
    | { readonly kind: "keep" }
    | { readonly kind: "gone" };
  /** Memory for the next plan. */
  readonly served?: Served;
  readonly statuses: readonly WantedStatus[];
  /** Bytes to keep in place of what this node kept before; absent to leave them. */
  readonly lastGood?: ReadonlyMap<string, Uint8Array>;
  /** The EnvoyConfig that is served, and what there is to say about it. */
  readonly source?: { readonly key: ObjectKey; readonly built?: Built };
}

/** Options of {@linkcode planNode}. */
export interface PlanOptions {
  readonly registry: Registry;
  readonly checkKeyPair?: CheckKeyPair;
}

/**
 * Decides what one node id is served and what its EnvoyConfigs are told. A spec that cannot be read leaves what is served:
 * a bad change never takes traffic down.
 */
export function planNode(inputs: NodeInputs, options: PlanOptions): NodePlan {
  const { nodeId, served, now } = inputs;
  const [winner, ...others] = byAge(inputs.configs);
  if (!winner) return { nodeId, output: { kind: "gone" }, statuses: [], lastGood: new Map() };
  const built = build(winner, inputs, options);
  const snapshot = built?.snapshot ?? served?.snapshot;
  const desired = built?.version ?? desiredOf(winner);
  const publication = { published: snapshot?.revision ?? "", ...(desired === undefined ? {} : { desired }) };
  const statuses = [
    servingStatus(winner, { built, publication, others, now }),
    ...others.map((config) => conflictStatus(config, { winner, desired: desiredOf(config), now })),
  ];
  const source = { key: keyOf(winner.object), ...(built ? { built } : {}) };
  if (!built?.snapshot) return { nodeId, output: { kind: "keep" }, ...(served ? { served } : {}), statuses, source };
  const next = { snapshot: built.snapshot, owner: ownerOf(winner.object), items: built.items };
  const output = built.snapshot === served?.snapshot
    ? { kind: "keep" as const }
    : { kind: "set" as const, snapshot: built.snapshot };
  return { nodeId, output, served: next, statuses, lastGood: built.lastGood, source };
}

function build({ object, read }: ConfigInput, inputs: NodeInputs, options: PlanOptions): Built | undefined {
  if (!read.config) return undefined;
  const { nodeId, sources, lastGood, served } = inputs;
  const { namespace } = keyOf(object);
  const spec = specItems(read.config.spec);
  const previous = served ? { previous: served } : {};
  return buildSnapshot({ nodeId, namespace, spec, sources, lastGood, ...previous }, options);
}

function desiredOf({ read }: ConfigInput): string | undefined {
  if (!read.config) return undefined;
  const { spec } = read.config;
  return revisionVersion(spec.nodeID, specItems(spec).items.map(({ item }) => item));
}

function ownerOf(object: WatchedObject): string {
  return object.metadata.uid ?? formatKey(keyOf(object));
}
