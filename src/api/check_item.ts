import type { Finding, PathSegment } from "../base/mod.ts";
import { checkSelector } from "./label_selector.ts";
import type { ResourceItem } from "./resource_item.ts";

/** Types whose only source is `value`. */
const VALUE_ONLY = new Set<string>([
  "listener",
  "route",
  "scopedRoute",
  "cluster",
  "runtime",
  "extensionConfig",
  "virtualHost",
]);

type Field = Exclude<keyof ResourceItem, "type">;
type Check = (item: ResourceItem) => { field?: Field; message: string; severity?: "warning" } | undefined;

/** Fields that belong to some types only, and how that is said. */
function only(field: Field, types: readonly string[]): Check {
  return (item) =>
    isSet(item[field]) && !types.includes(item.type)
      ? { field, message: `${field} is only for type ${types.join(" or ")}, not for type ${item.type}` }
      : undefined;
}

/**
 * The rules for one item, in the order in which they are told. What the webhook of old refused is refused, with texts that
 * name the right type (W31), and so is what it accepted although it can only be a mistake (W21).
 */
const CHECKS: readonly Check[] = [
  (item) =>
    VALUE_ONLY.has(item.type) && !isSet(item.value)
      ? { message: `value must be set for type ${item.type}` }
      : undefined,
  (item) =>
    item.type === "secret" && isSet(item.value)
      ? { field: "value", message: "value is not allowed for type secret" }
      : undefined,
  (item) =>
    item.type === "secret" && !isSet(item.generateFromTlsSecret) && !isSet(item.generateFromOpaqueSecret)
      ? { message: "one of generateFromTlsSecret and generateFromOpaqueSecret must be set for type secret" }
      : undefined,
  (item) =>
    item.type === "secret" && isSet(item.generateFromTlsSecret) && isSet(item.generateFromOpaqueSecret)
      ? {
        field: "generateFromOpaqueSecret",
        message: "only one of generateFromTlsSecret and generateFromOpaqueSecret may be set, the TLS Secret is used",
        severity: "warning",
      }
      : undefined,
  (item) =>
    item.type === "endpoint" && !isSet(item.value) && !isSet(item.generateFromEndpointSlices)
      ? { message: "one of value and generateFromEndpointSlices must be set for type endpoint" }
      : undefined,
  (item) =>
    item.type === "endpoint" && isSet(item.value) && isSet(item.generateFromEndpointSlices)
      ? {
        field: "generateFromEndpointSlices",
        message: "only one of value and generateFromEndpointSlices may be set for type endpoint",
      }
      : undefined,
  only("generateFromEndpointSlices", ["endpoint"]),
  only("generateFromTlsSecret", ["secret"]),
  (item) => {
    const refused = only("generateFromOpaqueSecret", ["secret"])(item);
    return refused && { ...refused, message: `${refused.message}; it is ignored`, severity: "warning" };
  },
  only("blueprint", ["secret"]),
  (item) =>
    item.type === "secret" && isSet(item.blueprint) && !isSet(item.generateFromTlsSecret)
      ? { field: "blueprint", message: "blueprint needs generateFromTlsSecret; it is ignored", severity: "warning" }
      : undefined,
  only("alias", ["secret"]),
  (item) =>
    item.type === "secret" && isSet(item.alias) && !isSet(item.generateFromTlsSecret)
      ? { field: "alias", message: "alias needs generateFromTlsSecret; an opaque secret has an alias of its own" }
      : undefined,
  only("routeConfiguration", ["virtualHost"]),
  (item) =>
    item.type === "virtualHost" && !isSet(item.routeConfiguration)
      ? { message: "routeConfiguration must be set for type virtualHost" }
      : undefined,
];

/** What is wrong with an item as a whole; the item has passed its schema. The content of `value` is not looked at here. */
export function checkItem(item: ResourceItem, path: readonly PathSegment[]): Finding[] {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    const found = check(item);
    if (!found) continue;
    const { field, message, severity = "error" } = found;
    findings.push({ severity, path: field === undefined ? path : [...path, field], message, rule: "item" });
  }
  const slices = item.generateFromEndpointSlices;
  if (item.type === "endpoint" && slices) {
    const at = [...path, "generateFromEndpointSlices"];
    findings.push(...checkSelector(slices.selector, [...at, "selector"]));
    const { targetPort } = slices;
    if (typeof targetPort === "number" && (targetPort < 1 || targetPort > 65535)) {
      findings.push({
        severity: "error",
        path: [...at, "targetPort"],
        message: "targetPort must be a name or a number from 1 to 65535",
        rule: "item",
        value: String(targetPort),
      });
    }
  }
  return findings;
}

/** Kubernetes drops nulls, and an empty reference was no reference before either. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
