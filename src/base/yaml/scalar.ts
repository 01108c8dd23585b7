/** What a plain (unquoted) scalar means. */
export type ScalarValue = string | number | boolean | null;

/** Outcome of {@linkcode resolveScalar}: a value, perhaps with a word of warning, or why there is none. */
export type Resolved =
  | { readonly value: ScalarValue; readonly warning?: string }
  | { readonly error: string };

const WORDS = new Map<string, boolean | null>([
  ...["true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"].map((w) => [w, true] as const),
  ...["false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"].map((w) => [w, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((w) => [w, null] as const),
]);
const NO_JSON = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const INTEGER = /^([-+]?)(?:0([xX][0-9a-fA-F]+|[oO]?[0-7]+|[bB][01]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const DOTTED = /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/;

/**
 * Reads a plain scalar as `sigs.k8s.io/yaml` does, so that a manifest means here what it means to kubectl: `yes`, `on` and
 * `y` are true, `010` and `0o10` are eight, underscores in numbers are skipped, times and sexagesimals are strings.
 * A number beyond 2^53 is rounded, as every JSON reader in JavaScript does, with a warning.
 */
export function resolveScalar(source: string): Resolved {
  const word = WORDS.get(source);
  if (word !== undefined) return { value: word };
  if (NO_JSON.test(source)) return { error: "infinity and not-a-number are no JSON values" };
  const first = source.charCodeAt(0);
  if (first === 0x2e) return DOTTED.test(source) ? { value: Number(source) } : { value: source };
  if (first !== 0x2b && first !== 0x2d && !(first >= 0x30 && first <= 0x39)) return { value: source };
  return resolveNumber(source);
}

function resolveNumber(source: string): Resolved {
  const plain = source.replaceAll("_", "");
  const integer = INTEGER.exec(plain);
  if (integer) {
    const magnitude = integer[3] === undefined ? prefixed(integer[2]!) : Number(integer[3]);
    const value = integer[1] === "-" && magnitude !== 0 ? -magnitude : magnitude;
    if (Number.isSafeInteger(value)) return { value };
    if (!Number.isFinite(value)) return { value: source };
    return { value, warning: "an integer of this size is rounded; put it in quotes" };
  }
  if (!FLOAT.test(plain)) return { value: source };
  const value = Number(plain);
  return { value: Number.isFinite(value) ? value : source };
}

/** The digits after the leading zero: `x1F`, `o17`, `17` or `b11`. */
function prefixed(digits: string): number {
  return Number(/^[xXoObB]/.test(digits) ? `0${digits}` : `0o${digits}`);
}
