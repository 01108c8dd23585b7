import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";
import type { Finding, PathSegment } from "../base/mod.ts";

/** The operators of `matchExpressions`. */
export const SELECTOR_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

/**
 * `metav1.LabelSelector`. The operator is no enum here, as it is none in the manifests that users have; {@linkcode checkSelector}
 * tells about a wrong one when the object is admitted, not when it is loaded.
 */
export const LabelSelector = Type.Object({
  matchLabels: Type.Optional(Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string" },
    description: "Labels that must have exactly these values",
  })),
  matchExpressions: Type.Optional(Type.Array(
    Type.Object({
      key: Type.String({ description: "Label the expression is about" }),
      operator: Type.String({ description: "In, NotIn, Exists or DoesNotExist" }),
      values: Type.Optional(Type.Array(Type.String(), { description: "For In and NotIn, at least one" })),
    }),
    { description: "Expressions that must all hold" },
  )),
}, { description: "Selects objects by label; an empty selector selects all", "x-kubernetes-map-type": "atomic" });
export type LabelSelector = Frozen<Static<typeof LabelSelector>>;

/** Whether labels satisfy every requirement of a selector. An unknown operator matches nothing. */
export function matchesSelector(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "In":
        return label !== undefined && values.includes(label);
      case "NotIn":
        return label === undefined || !values.includes(label);
      case "Exists":
        return label !== undefined;
      case "DoesNotExist":
        return label === undefined;
      default:
        return false;
    }
  });
}

/** What Kubernetes would refuse in a selector when it is used. */
export function checkSelector(selector: LabelSelector, path: readonly PathSegment[]): Finding[] {
  const findings: Finding[] = [];
  for (const [index, { operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = [...path, "matchExpressions", index];
    const error = (field: string, message: string, value?: string) =>
      findings.push({
        severity: "error",
        path: [...at, field],
        message,
        rule: "selector",
        ...(value === undefined ? {} : { value }),
      });
    if (!SELECTOR_OPERATORS.some((known) => known === operator)) {
      error("operator", `operator must be one of ${SELECTOR_OPERATORS.join(", ")}`, operator);
    } else if (operator.endsWith("In") ? values.length === 0 : values.length > 0) {
      error("values", operator.endsWith("In") ? `${operator} needs at least one value` : `${operator} takes no values`);
    }
  }
  return findings;
}
