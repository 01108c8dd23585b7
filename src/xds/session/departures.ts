import type { Departure } from "./state.ts";

/**
 * Dates for what nothing refers to any more. A date is set when everything else is acknowledged (`settled`) and stays although
 * newer configurations come, else constant change would keep removed clusters for ever.
 */
export function scheduled(
  departures: readonly Departure[],
  at: { readonly extras: readonly string[]; readonly settled: boolean; readonly due: number },
): readonly Departure[] {
  const { extras, settled, due } = at;
  if (extras.length === 0) return departures.length === 0 ? departures : [];
  if (!settled) return departures;
  const known = new Set(departures.flatMap((departure) => departure.names));
  const names = known.size === 0 ? extras : extras.filter((name) => !known.has(name));
  return names.length === 0 ? departures : [...departures, { names, at: due }];
}

/** Names whose date has come. */
export function dueNames(departures: readonly Departure[], now: number): ReadonlySet<string> {
  return new Set(departures.filter((departure) => departure.at <= now).flatMap((departure) => departure.names));
}

/** The next date that has not come yet; `Infinity` when there is none. */
export function nextDeparture(departures: readonly Departure[], now: number): number {
  return Math.min(...departures.map((departure) => departure.at).filter((at) => at > now));
}

/** Departures without the names that are wanted again. */
export function cancelled(
  departures: readonly Departure[],
  wanted: { has(name: string): boolean } | undefined,
): readonly Departure[] {
  if (!departures.some((departure) => departure.names.some((name) => wanted?.has(name)))) return departures;
  return departures
    .map((departure) => ({ ...departure, names: departure.names.filter((name) => !wanted?.has(name)) }))
    .filter((departure) => departure.names.length > 0);
}
