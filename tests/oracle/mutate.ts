/**
 * Small changes of a JSON value, as people make them by mistake.
 * @module
 */
import fc from "fast-check";

type Json = unknown;

/** Where and how a value is changed; numbers are taken modulo what there is. */
export interface Mutation {
  readonly at: number;
  readonly how: "drop" | "replace" | "rename" | "copy" | "list" | "case" | "scale";
  readonly pick: number;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("drop", "replace", "rename", "copy", "list", "case", "scale"),
  pick: fc.nat(),
});

const VALUES: readonly Json[] = [
  "",
  "x",
  "0s",
  "-1s",
  "1h",
  "0.0000000001s",
  0,
  -1,
  1.5,
  70_000,
  2 ** 32,
  2 ** 53,
  true,
  null,
  [],
  {},
  "*",
  "a\nb",
  "10.0.0.0",
  "1",
];

/** A copy with the changes; the value itself stays. */
export function mutated(value: Json, mutations: readonly Mutation[]): Json {
  const copy = structuredClone(value);
  for (const change of mutations) {
    const spots = [...spotsOf(copy)];
    const spot = spots[change.at % Math.max(1, spots.length)];
    if (spot) apply(spot, change, spots);
  }
  return copy;
}

interface Spot {
  readonly holder: Record<string, Json>;
  readonly key: string;
}

function* spotsOf(value: Json): Generator<Spot> {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, Json>; // lists have their indexes as keys
  for (const key of Object.keys(holder)) {
    yield { holder, key };
    yield* spotsOf(holder[key]);
  }
}

function apply({ holder, key }: Spot, { how, pick }: Mutation, spots: readonly Spot[]): void {
  const value = holder[key];
  const other = spots[pick % spots.length]!;
  switch (how) {
    case "drop":
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case "replace":
      holder[key] = VALUES[pick % VALUES.length];
      return;
    case "rename":
      if (Array.isArray(holder)) return;
      delete holder[key];
      holder[Array.isArray(other.holder) ? `${key}s` : other.key] = value;
      return;
    case "copy":
      holder[key] = structuredClone(other.holder[other.key]);
      return;
    case "list":
      holder[key] = Array.isArray(value) ? value[0] ?? null : [value];
      return;
    case "case":
      if (typeof value === "string") {
        holder[key] = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
      } else if (!Array.isArray(holder)) {
        delete holder[key];
        holder[key.replace(/_(.)/g, (_, c: string) => c.toUpperCase())] = value;
      }
      return;
    case "scale":
      if (typeof value === "number") holder[key] = [value * 1000, -value, value / 3, String(value)][pick % 4];
      return;
  }
}
