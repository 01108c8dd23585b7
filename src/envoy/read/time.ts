import type { Plain } from "../schema/mod.ts";
import type { BAD, Spot } from "./context.ts";
import type { JsonReader } from "./json_reader.ts";

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
const MAX_DURATION_SECONDS = 315_576_000_000;

/** google.protobuf.Duration: seconds with up to nine digits of fraction, `"0.25s"`. */
export function readDuration({ context }: JsonReader, spot: Spot): Plain | typeof BAD {
  const { value } = spot;
  const match = typeof value === "string" ? DURATION.exec(value) : null;
  if (!match) {
    const suggestion = durationMeant(value);
    return context.wrongType(spot, 'a duration such as "0.25s"', suggestion === undefined ? {} : { suggestion });
  }
  const sign = match[1] ? -1 : 1;
  const seconds = Number(match[2]);
  const nanos = nanosOf(match[3]);
  if (seconds > MAX_DURATION_SECONDS || (seconds === MAX_DURATION_SECONDS && nanos > 0)) {
    return context.error(
      spot,
      `${context.quote(value)} is out of range, a duration is at most ${MAX_DURATION_SECONDS}s`,
      {
        rule: "out-of-range",
        show: true,
      },
    );
  }
  return { seconds: sign * seconds + 0, nanos: sign * nanos + 0 }; // + 0 turns -0 into 0
}

const UNITS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, ms: 1e-3, m: 60, min: 60, h: 3600, d: 86400 };

/** What was meant by `5`, `250ms` or `1h`. */
function durationMeant(value: unknown): string | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,9})?) ?(ns|us|ms|m|min|h|d)?$/.exec(String(value));
  if (!match) return undefined;
  const seconds = Number(match[1]) * (match[2] === undefined ? 1 : UNITS[match[2]] ?? 1);
  return `${seconds.toFixed(9).replace(/\.?0+$/, "")}s`;
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** google.protobuf.Timestamp: RFC 3339 of the years 1 to 9999. */
export function readTimestamp({ context }: JsonReader, spot: Spot): Plain | typeof BAD {
  const match = typeof spot.value === "string" ? TIMESTAMP.exec(spot.value) : null;
  const seconds = match ? secondsOf(match) : undefined;
  if (!match || seconds === undefined) return context.wrongType(spot, 'a time such as "2026-01-31T10:00:00Z"');
  return { seconds, nanos: nanosOf(match[7]) };
}

const FIRST_SECOND = -62_135_596_800; // 0001-01-01T00:00:00Z
const LAST_SECOND = 253_402_300_799; // 9999-12-31T23:59:59Z

/** Seconds since 1970, or undefined for days and hours that do not exist. */
function secondsOf(match: RegExpExecArray): number | undefined {
  const part = (group: number) => Number(match[group]);
  const date = new Date(0);
  date.setUTCFullYear(part(1), part(2) - 1, part(3));
  const exists = date.getUTCMonth() === part(2) - 1 && part(4) < 24 && part(5) < 60 && part(6) < 60;
  const zone = match[8] === "Z" ? "+00:00" : match[8] ?? "+00:00";
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (!exists || hours > 23 || minutes > 59) return undefined;
  const offset = (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60);
  const seconds = date.getTime() / 1000 + part(4) * 3600 + part(5) * 60 + part(6) - offset;
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND ? seconds : undefined;
}

function nanosOf(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.padEnd(9, "0"));
}
