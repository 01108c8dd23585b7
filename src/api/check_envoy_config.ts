import { type Finding, hasErrors } from "../base/mod.ts";
import { checkSchema } from "./check.ts";
import { checkItem } from "./check_item.ts";
import type { EnvoyResources } from "./deprecated_resources.ts";
import { dropNulls } from "./drop_nulls.ts";
import { type EnvoyConfig, EnvoyConfigSpec } from "./envoy_config.ts";
import { ObjectMeta } from "./metadata.ts";

/** Outcome of {@linkcode readEnvoyConfig}: the typed object, unless an error finding tells why there is none. */
export interface ReadEnvoyConfig {
  readonly config?: EnvoyConfig;
  readonly findings: readonly Finding[];
}

/**
 * An object from outside as an EnvoyConfig. Checks structure first and, only if that holds, the rules of `spec` and of each
 * item (spec/discovery section 4.2); what is inside a `value` is for the Envoy reader to say.
 */
export function readEnvoyConfig(object: unknown): ReadEnvoyConfig {
  const findings = checkStructure(object);
  if (hasErrors(findings)) return { findings };
  const checked = object as EnvoyConfig; // just compared with the schemas its type comes from
  const config = {
    ...checked,
    metadata: dropNulls(ObjectMeta, checked.metadata),
    spec: dropNulls(EnvoyConfigSpec, checked.spec),
  };
  findings.push(...checkSpec(config.spec, config.metadata.namespace ?? "default"));
  return hasErrors(findings) ? { findings } : { config, findings };
}

/** The fields an object has; what is in them is looked at apart. */
const TOP_LEVEL = { type: "object", properties: { apiVersion: {}, kind: {}, metadata: {}, spec: {}, status: {} } };

/** Structure alone: what the CRD's schema would refuse, but with unknown fields told instead of dropped. */
function checkStructure(object: unknown): Finding[] {
  if (object === null || typeof object !== "object" || Array.isArray(object)) {
    return [{ severity: "error", path: [], message: "must be an object", rule: "type" }];
  }
  const { metadata, spec } = object as Record<string, unknown>; // unknown members, looked at next
  const findings = checkSchema(TOP_LEVEL, object);
  findings.push(...checkSchema(ObjectMeta, metadata, ["metadata"]));
  if (spec === undefined || spec === null) {
    findings.push({ severity: "error", path: [], message: "spec must be set", rule: "required" });
  } else findings.push(...checkSchema(EnvoyConfigSpec, spec, ["spec"]));
  return findings;
}

/** The rules of a spec that passed its schema. */
function checkSpec(spec: EnvoyConfigSpec, namespace: string): Finding[] {
  const both = isPresent(spec.resources) && isPresent(spec.envoyResources);
  if (both || (!isPresent(spec.resources) && !isPresent(spec.envoyResources))) {
    // Checked alone, since nothing else means much without it; presence counts, not content.
    return [{
      severity: "error",
      path: ["spec"],
      message: `exactly one of resources and envoyResources must be set${both ? ", not both" : ""}`,
      rule: "one-form",
    }];
  }
  const findings: Finding[] = [];
  if (spec.nodeID === "") {
    findings.push({
      severity: "error",
      path: ["spec", "nodeID"],
      message: "nodeID must not be empty",
      rule: "node-id",
    });
  }
  if (spec.serialization !== undefined && spec.resources) {
    findings.push({
      severity: "warning",
      path: ["spec", "serialization"],
      message: "serialization means nothing to resources",
      rule: "unused-field",
    });
  }
  for (const [index, item] of (spec.resources ?? []).entries()) {
    findings.push(...checkItem(item, ["spec", "resources", index]));
  }
  if (spec.envoyResources) findings.push(...checkDeprecated(spec.envoyResources, namespace));
  return findings;
}

function checkDeprecated(resources: EnvoyResources, namespace: string): Finding[] {
  const findings: Finding[] = [];
  for (const [index, { ref }] of (resources.secrets ?? []).entries()) {
    if (!ref) continue;
    const at = ["spec", "envoyResources", "secrets", index, "ref"];
    if (ref.namespace && ref.namespace !== namespace) {
      findings.push({
        severity: "error",
        path: [...at, "namespace"],
        message: `namespace must be that of the EnvoyConfig, ${JSON.stringify(namespace)}`,
        rule: "secret-ref",
        value: JSON.stringify(ref.namespace),
      });
    }
    if (!ref.name) {
      findings.push({ severity: "error", path: at, message: "name must be set in ref", rule: "secret-ref" });
    } else if (ref.name !== resources.secrets?.[index]?.name) {
      findings.push({
        severity: "warning",
        path: [...at, "name"],
        message: `ref is ignored, the Secret is looked up by the item's own name`,
        rule: "secret-ref",
        value: JSON.stringify(ref.name),
      });
    }
  }
  return findings;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
