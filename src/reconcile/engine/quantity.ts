/** Powers of ten, and of 1024, that a suffix stands for. */
const TENS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const KIBIS: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
/** The API server rounds what is finer than a billionth. */
const FINEST = 9;

/** Whether two quantities of Kubernetes are the same amount: it writes `0.25` as `250m`. */
export function sameQuantity(one: unknown, other: unknown): boolean {
  const [a, b] = [billionths(one), billionths(other)];
  return a !== undefined && a === b;
}

function billionths(value: unknown): bigint | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const match = /^([+-]?)(\d{0,30})(?:\.(\d{0,30}))?([a-zA-Z]{0,2}|[eE][+-]?\d{1,2})$/.exec(String(value));
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const exponent = /^[eE]./.test(suffix) ? Number(suffix.slice(1)) : TENS[suffix];
  const kibis = KIBIS[suffix];
  if ((exponent === undefined && kibis === undefined) || whole + fraction === "") return undefined;
  const power = (exponent ?? 0) + FINEST - fraction.length;
  const digits = BigInt(whole + fraction) * 1024n ** BigInt(kibis ?? 0);
  const amount = power >= 0 ? digits * 10n ** BigInt(power) : digits / 10n ** BigInt(-power);
  return sign === "-" ? -amount : amount;
}
