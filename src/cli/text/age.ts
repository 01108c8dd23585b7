const MINUTE = 60, HOUR = 3600, DAY = 86_400;

/** How long ago something was, in the two largest units that matter, as kubectl shows it: `45s`, `3m20s`, `5h`, `12d`. */
export function age(then: string | undefined, now: string): string {
  const ms = Date.parse(now) - Date.parse(then ?? "");
  if (Number.isNaN(ms)) return "-";
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 2 * MINUTE) return `${s}s`;
  if (s < 10 * MINUTE) return two(s, [MINUTE, "m"], [1, "s"]);
  if (s < 3 * HOUR) return `${Math.floor(s / MINUTE)}m`;
  if (s < 8 * HOUR) return two(s, [HOUR, "h"], [MINUTE, "m"]);
  if (s < 2 * DAY) return `${Math.floor(s / HOUR)}h`;
  if (s < 8 * DAY) return two(s, [DAY, "d"], [HOUR, "h"]);
  if (s < 2 * 365 * DAY) return `${Math.floor(s / DAY)}d`;
  return two(s, [365 * DAY, "y"], [DAY, "d"]);
}

function two(seconds: number, [large, big]: [number, string], [small, little]: [number, string]): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${big}${rest > 0 ? `${rest}${little}` : ""}`;
}
