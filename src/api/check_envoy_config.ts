import { type Finding, hasErrors, type PathSegment } from "../base/mod.ts";
import { checkSchema } from "./check.ts";
import { checkItem } from "./check_item.ts";
import type { EnvoyResources } from "./deprecated_resources.ts";
import { dropNulls } from "./drop_nulls.ts";
import { type EnvoyConfig, EnvoyConfigSpec } from "./envoy_config.ts";
import { ObjectMeta } from "./metadata.ts";
import { ITEM_TYPES, ResourceItem } from "./resource_item.ts";

/** Outcome of {@linkcode readEnvoyConfig}: the typed object, unless an error finding tells why there is none. */
export interface ReadEnvoyConfig {
  readonly config?: EnvoyConfig;
  /** What can be made out whatever is wrong with the rest; absent when that is nothing. */
  readonly readable?: ReadableSpec;
  readonly findings: readonly Finding[];
}

/** A spec, complete or not, so that what is inside its items can be looked at in the same run. */
export interface ReadableSpec {
  /** Of `resources` only the items that can be made out; `nodeID` is empty where it is no text. */
  readonly spec: EnvoyConfigSpec;
  readonly namespace: string;
  /** Index in the object of each item of `resources`. */
  readonly places: readonly number[];
  /** Index in the object of the items that are left out. */
  readonly lost: readonly number[];
}

/** Most findings about one object: a file of a million mistakes is not to fill the memory. */
const MAX_FINDINGS = 1000;

/**
 * An object from outside as an EnvoyConfig. Tells all that is wrong with its structure and with what the rules of `spec` and
 * of each item say (spec/discovery section 4.2); what is inside a `value` is for the Envoy reader to say.
 */
export function readEnvoyConfig(object: unknown): ReadEnvoyConfig {
  if (!isRecord(object)) {
    return { findings: [{ severity: "error", path: [], message: "must be an object", rule: "type" }] };
  }
  const { metadata, spec } = object;
  const findings = checkSchema(TOP_LEVEL, object);
  if (isPresent(metadata)) findings.push(...checkSchema(ObjectMeta, metadata, ["metadata"]));
  else findings.push({ severity: "error", path: [], message: "metadata must be set", rule: "required" });
  const namespace = (isRecord(metadata) && typeof metadata.namespace === "string" && metadata.namespace) || "default";
  if (!isPresent(spec)) {
    findings.push({ severity: "error", path: [], message: "spec must be set", rule: "required" });
    return { findings };
  }
  const items = isRecord(spec) && Array.isArray(spec.resources) ? spec.resources : [];
  const outer = checkSchema(EnvoyConfigSpec, items.length > 0 ? { ...spec as object, resources: [] } : spec, ["spec"]);
  findings.push(...outer);
  if (!isRecord(spec)) return { findings };
  const oneForm = checkForm(spec);
  if (oneForm) return { findings: [...findings, oneForm] };
  const sound: [number, ResourceItem][] = [];
  const lost: number[] = [];
  for (const [index, item] of items.entries()) {
    const read = readItem(item, ["spec", "resources", index]);
    findings.push(...read.findings);
    if (read.item) sound.push([index, read.item]);
    else lost.push(index);
    if (findings.length >= MAX_FINDINGS) return { findings: [...findings.slice(0, MAX_FINDINGS), tooMany()] };
  }
  const places = sound.map(([index]) => index);
  if (hasErrors(findings)) {
    const part = readableSpec(spec, outer, sound.map(([, item]) => item));
    findings.push(...checkSpec(part, { namespace, isText: typeof spec.nodeID === "string" }));
    return { readable: { spec: part, namespace, places, lost }, findings };
  }
  const checked = object as unknown as EnvoyConfig; // just compared with the schemas its type comes from
  const config = {
    ...checked,
    metadata: dropNulls(ObjectMeta, checked.metadata),
    spec: dropNulls(EnvoyConfigSpec, checked.spec), // the very spec where it has no nulls: what follows from it is kept by it
  };
  findings.push(...checkSpec(config.spec, { namespace, isText: true }));
  const readable = { spec: config.spec, namespace, places, lost };
  return hasErrors(findings) ? { readable, findings } : { config, readable, findings };
}

/** The fields an object has; what is in them is looked at apart. */
const TOP_LEVEL = { type: "object", properties: { apiVersion: {}, kind: {}, metadata: {}, spec: {}, status: {} } };

interface ReadItem {
  readonly item?: ResourceItem;
  readonly findings: readonly Finding[];
}

/** An item, or of one whose structure is broken at least its type and value, so that the value can be looked at, too. */
function readItem(item: unknown, path: readonly PathSegment[]): ReadItem {
  const findings = checkSchema(ResourceItem, item, path);
  if (!findings.some((finding) => finding.severity === "error" && finding.rule !== "unknown-field")) {
    const clean = dropNulls(ResourceItem, item as ResourceItem); // just compared with the schema its type comes from
    return { item: clean, findings: [...findings, ...checkItem(clean, path)] };
  }
  if (!isRecord(item) || !isRecord(item.value)) return { findings };
  const type = ITEM_TYPES.find((known) => known === item.type);
  if (type === undefined || type === "secret") return { findings };
  const { value, routeConfiguration } = item;
  return { item: { type, value, ...(typeof routeConfiguration === "string" ? { routeConfiguration } : {}) }, findings };
}

/** The spec with sound items, without what its schema refuses. */
function readableSpec(
  spec: Readonly<Record<string, unknown>>,
  outer: readonly Finding[],
  resources: readonly ResourceItem[],
): EnvoyConfigSpec {
  const { nodeID, envoyResources, resources: given, ...rest } = spec;
  const broken = new Set(outer.filter((finding) => finding.severity === "error").map((finding) => finding.path[1]));
  const kept = Object.entries(rest).filter(([name]) => !broken.has(name));
  const readable = {
    nodeID: typeof nodeID === "string" ? nodeID : "",
    ...Object.fromEntries(kept),
    ...(isPresent(given) ? { resources } : {}),
    ...(isPresent(envoyResources) && !broken.has("envoyResources") ? { envoyResources } : {}),
  };
  return dropNulls(EnvoyConfigSpec, readable as EnvoyConfigSpec); // whatever did not fit its schema was left out
}

function tooMany(): Finding {
  const message = `checking stopped after ${MAX_FINDINGS} problems`;
  return { severity: "error", path: [], message, rule: "too-many-findings" };
}

/** Checked alone, since nothing else means much without it; presence counts, not content. */
function checkForm(spec: Readonly<Record<string, unknown>>): Finding | undefined {
  const both = isPresent(spec.resources) && isPresent(spec.envoyResources);
  if (!both && (isPresent(spec.resources) || isPresent(spec.envoyResources))) return undefined;
  const message = `exactly one of resources and envoyResources must be set${both ? ", not both" : ""}`;
  return { severity: "error", path: ["spec"], message, rule: "one-form" };
}

/** The rules of a spec as a whole. */
function checkSpec(spec: EnvoyConfigSpec, { namespace, isText }: { namespace: string; isText: boolean }): Finding[] {
  const findings: Finding[] = [];
  if (spec.nodeID === "" && isText) {
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
  if (spec.envoyResources) {
    findings.push({
      severity: "warning",
      path: ["spec", "envoyResources"],
      message: "envoyResources is deprecated; resources takes the same, and more",
      rule: "deprecated",
    });
    findings.push(...checkDeprecated(spec.envoyResources, namespace));
  }
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
