import { ChanceryError } from "../../base/mod.ts";

/** Kubernetes' label selector; all parts must hold, an empty one selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[];
}

/** One condition on one label. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/**
 * Whether labels meet a selector. As in Kubernetes `NotIn` holds for objects without the label.
 * Throws `invalid-input` for an operator that does not exist or lacks its values.
 */
export function matchesLabels(labels: Readonly<Record<string, string>> | undefined, selector: LabelSelector): boolean {
  const has = labels ?? {};
  const own = (key: string) => Object.hasOwn(has, key) ? has[key] : undefined;
  const checks = (selector.matchExpressions ?? []).map((expression) => holds(own(expression.key), expression));
  return Object.entries(selector.matchLabels ?? {}).every(([key, value]) => own(key) === value) &&
    checks.every((ok) => ok);
}

function holds(value: string | undefined, { key, operator, values = [] }: LabelExpression): boolean {
  if (operator === "Exists") return value !== undefined;
  if (operator === "DoesNotExist") return value === undefined;
  if (operator !== "In" && operator !== "NotIn") {
    throw new ChanceryError("invalid-input", `Cannot select by label "${key}": unknown operator "${operator}"`);
  }
  if (values.length === 0) {
    throw new ChanceryError("invalid-input", `Cannot select by label "${key}": operator ${operator} needs values`);
  }
  const inside = value !== undefined && values.includes(value);
  return operator === "In" ? inside : !inside;
}
