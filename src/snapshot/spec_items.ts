import type { EnvoyConfigSpec, EnvoyResources, ItemTypeName, ResourceItem } from "../api/mod.ts";
import type { Finding, PathSegment } from "../base/mod.ts";
import { parseYaml } from "../base/yaml/mod.ts";

/** An item and where the user wrote it. */
export interface SpecItem {
  readonly item: ResourceItem;
  /** Path of the item in the object. */
  readonly path: readonly PathSegment[];
  /** Path of the resource itself: the `value` of the item, or the text it was parsed from. */
  readonly valuePath: readonly PathSegment[];
  /** A finding already tells that its text cannot be read. */
  readonly broken?: true;
}

/** The arrays of the deprecated form in the order in which they become items. */
const DEPRECATED: readonly { field: Exclude<keyof EnvoyResources, "secrets">; type: ItemTypeName }[] = [
  { field: "endpoints", type: "endpoint" },
  { field: "clusters", type: "cluster" },
  { field: "routes", type: "route" },
  { field: "scopedRoutes", type: "scopedRoute" },
  { field: "listeners", type: "listener" },
  { field: "runtimes", type: "runtime" },
  { field: "extensionConfigs", type: "extensionConfig" },
];

/** The items of a spec, and what its texts said that is no item. */
export interface SpecItems {
  readonly items: readonly SpecItem[];
  readonly findings: readonly Finding[];
}

/** The items of a spec in either form. A text that does not parse is a finding and an item that stands for itself only. */
export function specItems(spec: EnvoyConfigSpec): SpecItems {
  if (!spec.envoyResources) {
    const items = (spec.resources ?? []).map((item, index) => {
      const path = ["spec", "resources", index];
      return { item, path, valuePath: [...path, "value"] };
    });
    return { items, findings: [] };
  }
  const root = ["spec", "envoyResources"];
  const items: SpecItem[] = [];
  const findings: Finding[] = [];
  for (const { field, type } of DEPRECATED) {
    for (const [index, { value: text }] of (spec.envoyResources[field] ?? []).entries()) {
      const path = [...root, field, index];
      const valuePath = [...path, "value"];
      const parsed = parseText(text, spec.serialization ?? "json");
      if ("problem" in parsed) {
        findings.push({ severity: "error", path: valuePath, message: parsed.problem, rule: "serialization" });
      }
      // The marker keeps the version of the spec different for different broken texts.
      const value = "value" in parsed ? parsed.value : { "@text": text };
      items.push({ item: { type, value }, path, valuePath, ...("problem" in parsed ? { broken: true } : {}) });
    }
  }
  for (const [index, { name }] of (spec.envoyResources.secrets ?? []).entries()) {
    const path = [...root, "secrets", index];
    const item: ResourceItem = { type: "secret", generateFromTlsSecret: name, blueprint: "tlsCertificate" };
    items.push({ item, path, valuePath: path });
  }
  return { items, findings };
}

type Parsed = { value: Record<string, unknown> } | { problem: string };

/** YAML reads JSON too; for `json` the text must also look like it, so that a forgotten `serialization: yaml` is told as such. */
function parseText(text: string, serialization: "json" | "yaml"): Parsed {
  if (serialization === "json" && !text.trimStart().startsWith("{")) {
    return { problem: "must be a JSON object; for YAML set serialization to yaml" };
  }
  const { documents, findings } = parseYaml(text, "value");
  const error = findings.find((finding) => finding.severity === "error");
  if (error) {
    const at = error.source ? ` in line ${error.source.line}, column ${error.source.column} of the text` : "";
    return { problem: `Cannot read the ${serialization} text${at}: ${error.message}` };
  }
  const value = documents[0]?.value;
  if (documents.length > 1) return { problem: "must hold one document" };
  if (value === null || typeof value !== "object" || Array.isArray(value)) return { problem: "must hold an object" };
  return { value: value as Record<string, unknown> }; // an object that is no array, just checked
}
