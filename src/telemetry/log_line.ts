import { isoTime } from "./iso_time.ts";
import type { LogFields, LogLevel } from "./logger.ts";

/** `json`: one object per line, for machines. `console`: for people. */
export type LogFormat = "json" | "console";

/** One line before it is text. */
export interface LogRecord {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Longest text of one field or message, in UTF-16 units: an Envoy's refusal can quote a whole configuration. */
const MAX_TEXT = 4096;

const COLORS: Readonly<Record<LogLevel, number>> = { debug: 90, info: 36, warn: 33, error: 31 };

/** The text of a line, with its line end. A field never overwrites `time`, `level` or `message`, and never breaks the line. */
export function formatLine(record: LogRecord, options: { format: LogFormat; color?: boolean }): string {
  const time = isoTime(record.time);
  const fields = Object.entries(record.fields).filter(([, value]) => value !== undefined);
  if (options.format === "json") {
    const line: Record<string, unknown> = { time, level: record.level, message: shorten(record.message) };
    for (const [name, value] of fields) {
      line[name in line ? `${name}_` : name] = typeof value === "string" ? shorten(value) : value;
    }
    return `${JSON.stringify(line)}\n`;
  }
  const paint = (text: string, code: number) => (options.color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const tail = fields.map(([name, value]) => ` ${paint(`${name}=`, 90)}${fieldText(value)}`).join("");
  const level = paint(record.level.toUpperCase().padEnd(5), COLORS[record.level]);
  return `${paint(time.slice(11, 23), 90)} ${level} ${visible(shorten(record.message))}${tail}\n`;
}

function fieldText(value: LogFields[string]): string {
  if (typeof value !== "string") return String(value);
  const text = shorten(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : visible(JSON.stringify(text));
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}

/** Control characters made visible, so that text from outside can neither forge a line nor drive a terminal. */
function visible(text: string): string {
  // deno-lint-ignore no-control-regex -- finding control characters is the purpose
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (c) => (c < " " ? JSON.stringify(c).slice(1, -1) : "?"));
}
