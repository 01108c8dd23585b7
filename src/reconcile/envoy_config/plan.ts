import type { ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import {
  buildSnapshot,
  type Built,
  type CheckKeyPair,
  type CompiledSpec,
  compileSpec,
  type Snapshot,
} from "../../snapshot/mod.ts";
import type { WantedStatus } from "../engine/apply_statuses.ts";
import { keyOf } from "../engine/object_source.ts";
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
  const desired = compiledSpec(winner)?.version;
  const publication = { published: snapshot?.revision ?? "", ...(desired === undefined ? {} : { desired }) };
  const statuses = [
    servingStatus(winner, { built, publication, others, now }),
    ...others.map((config) => conflictStatus(config, { winner, desired: compiledSpec(config)?.version, now })),
  ];
  const source = { key: keyOf(winner.object), ...(built ? { built } : {}) };
  if (!built?.snapshot) return { nodeId, output: { kind: "keep" }, ...(served ? { served } : {}), statuses, source };
  const next = { snapshot: built.snapshot, cache: built.cache };
  const output = built.snapshot === served?.snapshot
    ? { kind: "keep" as const }
    : { kind: "set" as const, snapshot: built.snapshot };
  return { nodeId, output, served: next, statuses, lastGood: built.lastGood, source };
}

function build(config: ConfigInput, inputs: NodeInputs, options: PlanOptions): Built | undefined {
  const spec = compiledSpec(config);
  if (!spec) return undefined;
  const { sources, lastGood, served } = inputs;
  return buildSnapshot({ spec, sources, lastGood, ...(served ? { previous: served } : {}) }, options);
}

/** The compiled spec of a config that can be read. */
export function compiledSpec({ object, read }: ConfigInput): CompiledSpec | undefined {
  return read.config && compileSpec(read.config.spec, keyOf(object).namespace);
}
