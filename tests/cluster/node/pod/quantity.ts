const FACTORS: Readonly<Record<string, number>> = {
  "": 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The number that a Kubernetes quantity stands for: `"64Mi"` is 67108864. @throws {Error} when it is none */
export function quantity(text: string): number {
  const [, digits, unit] = /^([0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = unit === undefined ? undefined : FACTORS[unit];
  if (digits === undefined || factor === undefined) throw new Error(`Cannot read quantity ${JSON.stringify(text)}`);
  return Number(digits) * factor;
}
