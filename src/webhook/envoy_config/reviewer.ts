import { ENVOY_CONFIG } from "../../api/mod.ts";
import { type Finding, hasErrors } from "../../base/mod.ts";
import { BOOTSTRAP } from "../../bootstrap/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import { admitEnvoyConfig } from "../../snapshot/mod.ts";
import type { AdmissionRequest } from "../review.ts";
import type { Reviewer } from "../reviewer.ts";
import { member, specReviewer } from "../spec_reviewer.ts";
import { errorsDocument, findingText } from "../told.ts";
import { allow, deny, type Verdict } from "../verdict.ts";
import type { NodeIdHolder, NodeIds } from "./node_ids.ts";

/** Where two EnvoyConfigs with one node id fight: in one namespace, or wherever one discovery service looks. */
export type NodeIdScope = "namespace" | "watched";

/** Options of {@linkcode envoyConfigReviewer}. */
export interface EnvoyConfigReviewerOptions {
  readonly registry: Registry;
  readonly nodeIds: Pick<NodeIds, "holders">;
  readonly nodeIdScope: NodeIdScope;
}

/**
 * The webhook of EnvoyConfigs (spec/discovery section 4.2): all that is wrong comes in one refusal, what is legal and likely
 * wrong in warnings. What an object already held is not held against it: an update that leaves the spec alone always passes
 * (W31), and so does the next update of one of two that already share a node id (W3).
 */
export function envoyConfigReviewer(options: EnvoyConfigReviewerOptions): Reviewer {
  return specReviewer(ENVOY_CONFIG, (request) => judge(request, options));
}

function judge(request: AdmissionRequest, { registry, nodeIds, nodeIdScope }: EnvoyConfigReviewerOptions): Verdict {
  const { object, oldObject } = request;
  const { findings } = admitEnvoyConfig(object, {
    registry,
    staticClusters: [BOOTSTRAP.cluster],
    ...(oldObject === undefined ? {} : { stored: oldObject }),
  });
  const conflict = conflictOf(request, holdersBeside(request, { nodeIds, nodeIdScope }));
  const all = [...(conflict ? [conflict] : []), ...findings];
  const warnings = all.filter(({ severity }) => severity === "warning");
  if (!hasErrors(all)) return allow("valid", warnings);
  const errors = all.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const reason = errors.length === 1 && first === conflict ? "node-id-conflict" : "invalid";
  const message = errors.length === 1 && first?.rule === "one-form"
    ? findingText(first, 1_024)
    : errorsDocument(errors);
  return deny(reason, { message, warnings });
}

/** Who else has the node id that the object asks for. */
function holdersBeside(
  { object, namespace, name }: AdmissionRequest,
  { nodeIds, nodeIdScope }: Pick<EnvoyConfigReviewerOptions, "nodeIds" | "nodeIdScope">,
): NodeIdHolder[] {
  const nodeId = member(member(object, "spec"), "nodeID");
  if (typeof nodeId !== "string") return [];
  const given = member(member(object, "metadata"), "name");
  const own = typeof given === "string" && given !== "" ? given : name;
  return nodeIds.holders(nodeId).filter(({ key }) =>
    (nodeIdScope === "watched" || key.namespace === namespace) && (key.namespace !== namespace || key.name !== own)
  );
}

/** Refused when it is introduced; what was so before can be repaired in either object. */
function conflictOf({ object, oldObject }: AdmissionRequest, [other]: readonly NodeIdHolder[]): Finding | undefined {
  if (!other) return undefined;
  const nodeId = member(member(object, "spec"), "nodeID");
  const before = member(member(oldObject, "spec"), "nodeID");
  return {
    severity: before === nodeId ? "warning" : "error",
    path: ["spec", "nodeID"],
    message: `node id ${JSON.stringify(nodeId)} is taken by EnvoyConfig "${other.key.namespace}/${other.key.name}", ` +
      "and Envoys get the configuration of the older one only",
    rule: "node-id-conflict",
  };
}
