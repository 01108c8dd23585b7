/** A rule in CEL that the API server checks by itself, so that it holds where no webhook runs. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  /** Whether `oldSelf` is an optional, so that the rule is asked of new objects, too. Since Kubernetes 1.30. */
  readonly optionalOldSelf?: true;
}

/**
 * A rule for what is new: an object that was stored before there was the rule may break it for as long as nobody touches what
 * the rule is about. Both texts are CEL; `before` compares `old` (the stored value) with `self`.
 */
export function ruleForChanges(texts: { before: string; rule: string; message: string }): ValidationRule {
  const { before, rule, message } = texts;
  const unchanged = before.replaceAll(/\bold\b/g, "oldSelf.value()");
  return { rule: `(oldSelf.hasValue() && ${unchanged}) || ${rule}`, message, optionalOldSelf: true };
}

/** A rule for a value that is what it is from the beginning. Asked on updates only. */
export function neverChanges(field: string): ValidationRule {
  return { rule: "self == oldSelf", message: `${field} cannot be changed` };
}
