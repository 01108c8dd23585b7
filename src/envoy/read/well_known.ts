import type { MessageDescriptor, Plain } from "../schema/mod.ts";
import { BAD, type Path } from "./context.ts";
import type { JsonReader } from "./json_reader.ts";
import { readListValue, readStruct, readValue } from "./struct.ts";

/** A value and its place. */
export interface Given {
  readonly value: unknown;
  readonly path: Path | undefined;
}

type Reading = (reader: JsonReader, descriptor: MessageDescriptor, given: Given) => Plain | typeof BAD;

const WRAPPERS = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"];

/** Messages whose JSON is not an object of their fields. google.protobuf.Any is not among them: it has a file of its own. */
export const WELL_KNOWN: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ["google.protobuf.Duration", readDuration],
  ["google.protobuf.Timestamp", readTimestamp],
  ["google.protobuf.FieldMask", readFieldMask],
  ["google.protobuf.Struct", readStruct],
  ["google.protobuf.Value", readValue],
  ["google.protobuf.ListValue", readListValue],
  ...WRAPPERS.map((name) => [`google.protobuf.${name}Value`, readWrapper] as const),
]);

function readWrapper(reader: JsonReader, descriptor: MessageDescriptor, { value, path }: Given): Plain | typeof BAD {
  const field = descriptor.byNumber.get(1);
  if (!field) return BAD;
  const read = reader.single(field, value, path ?? { up: undefined, segment: "value" });
  return read === BAD ? BAD : { value: read };
}

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
const MAX_DURATION_SECONDS = 315_576_000_000;

function readDuration({ context }: JsonReader, _: MessageDescriptor, { value, path }: Given): Plain | typeof BAD {
  const match = typeof value === "string" ? DURATION.exec(value) : null;
  if (!match) {
    return context.error(path, `expected a duration such as "0.25s", found ${context.describe(value)}`, {
      rule: "wrong-type",
      value,
      suggestion: durationMeant(value),
    });
  }
  const sign = match[1] ? -1 : 1;
  const seconds = Number(match[2]);
  const nanos = nanosOf(match[3]);
  if (seconds > MAX_DURATION_SECONDS || (seconds === MAX_DURATION_SECONDS && nanos > 0)) {
    return context.error(path, `duration ${context.show(value)} is out of range`, { rule: "out-of-range", value });
  }
  return { seconds: seconds === 0 ? 0 : sign * seconds, nanos: nanos === 0 ? 0 : sign * nanos };
}

const UNITS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, ms: 1e-3, m: 60, min: 60, h: 3600, d: 86400 };

/** What was meant by `5`, `250ms` or `1h`. */
function durationMeant(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return `${value}s`;
  const match = typeof value === "string" ? /^(\d{1,12}(?:\.\d{1,9})?) ?(ns|us|ms|m|min|h|d)?$/.exec(value) : null;
  if (!match) return undefined;
  const seconds = Number(match[1]) * (match[2] === undefined ? 1 : UNITS[match[2]] ?? 1);
  return `${seconds.toFixed(9).replace(/\.?0+$/, "")}s`;
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

function readTimestamp({ context }: JsonReader, _: MessageDescriptor, { value, path }: Given): Plain | typeof BAD {
  const match = typeof value === "string" ? TIMESTAMP.exec(value) : null;
  const seconds = match ? secondsOf(match) : undefined;
  if (!match || seconds === undefined) {
    return context.error(path, `expected a time such as "2026-01-31T10:00:00Z", found ${context.describe(value)}`, {
      rule: "wrong-type",
      value,
    });
  }
  return { seconds, nanos: nanosOf(match[7]) };
}

/** Seconds since 1970, or undefined for days and hours that do not exist. */
function secondsOf(match: RegExpExecArray): number | undefined {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]; // six groups that always take part
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const zone = match[8] ?? "Z";
  const [zoneHours, zoneMinutes] = zone === "Z" ? [0, 0] : [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const offset = (zone.startsWith("-") ? -1 : 1) * (zoneHours * 3600 + zoneMinutes * 60);
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
}

function nanosOf(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.padEnd(9, "0"));
}

function readFieldMask({ context }: JsonReader, _: MessageDescriptor, { value, path }: Given): Plain | typeof BAD {
  if (typeof value !== "string" || !/^[\w.,]*$/.test(value) || value.includes("_")) {
    return context.error(path, `expected a field mask such as "user.displayName", found ${context.describe(value)}`, {
      rule: "wrong-type",
      value,
    });
  }
  return { paths: value === "" ? [] : value.split(",").map((p) => p.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)) };
}
