import type { Plain } from "../schema/mod.ts";

/** `1.500s`: seconds with no, three, six or nine digits of fraction. */
export function durationText(duration: Plain): string {
  const [seconds, nanos] = [Number(duration["seconds"] ?? 0), Number(duration["nanos"] ?? 0)];
  const sign = seconds < 0 || nanos < 0 ? "-" : "";
  return `${sign}${Math.abs(seconds)}${fractionText(Math.abs(nanos))}s`;
}

/** RFC 3339 in UTC, `2026-01-31T10:00:00Z`. A moment outside the years 1 to 9999, which has no such form, as seconds. */
export function timestampText(timestamp: Plain): string {
  const [seconds, nanos] = [Number(timestamp["seconds"] ?? 0), Number(timestamp["nanos"] ?? 0)];
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return `${seconds}${fractionText(nanos)}s`;
  return `${date.toISOString().slice(0, 19)}${fractionText(nanos)}Z`;
}

function fractionText(nanos: number): string {
  if (nanos === 0) return "";
  return `.${String(nanos).padStart(9, "0").replace(/(000){1,2}$/, "")}`;
}
