import type { Finding } from "../../base/mod.ts";
import { type AnnotationName, PREFIX } from "./names.ts";

/** Longest part of a value that is repeated to whoever wrote it. */
const MAX_SHOWN = 80;

/**
 * Reads annotations of one pod and keeps all that is wrong with them (C15); what cannot be read is answered with its
 * default.
 */
export class AnnotationReader {
  readonly findings: Finding[] = [];
  readonly #annotations: Readonly<Record<string, unknown>>;

  constructor(annotations: Readonly<Record<string, unknown>>) {
    this.#annotations = annotations;
  }

  /** As it stands there; `undefined` when it is absent. */
  raw(name: AnnotationName): string | undefined {
    const key = `${PREFIX}${name}`;
    if (!Object.hasOwn(this.#annotations, key)) return undefined;
    const value = this.#annotations[key];
    if (typeof value === "string") return value;
    this.refuse(name, "a text");
    return undefined;
  }

  /** What `read` makes of the trimmed value, or `absent`. `read` gives `undefined` for what is not `expected`. */
  value<T>(name: AnnotationName, absent: T, { read, expected }: {
    readonly read: (text: string) => T | undefined;
    readonly expected: string;
  }): T {
    const text = this.raw(name);
    if (text === undefined) return absent;
    const value = read(text.trim());
    if (value !== undefined) return value;
    this.refuse(name, expected);
    return absent;
  }

  /** One of `choices`. */
  choice<T extends string>(name: AnnotationName, absent: T, choices: readonly T[]): T {
    return this.value(name, absent, {
      read: (text) => choices.find((choice) => choice === text),
      expected: choices.map((choice) => JSON.stringify(choice)).join(" or "),
    });
  }

  /** A whole number between two others, both included. */
  integer(
    name: AnnotationName,
    absent: number,
    { min, max, what }: { min: number; max: number; what: string },
  ): number {
    return this.value(name, absent, {
      read: (text) => integerBetween(text, { min, max }),
      expected: `${what} from ${min} to ${max}`,
    });
  }

  /** Elements between commas, without the blanks around them. An empty list has none. */
  list(name: AnnotationName): string[] {
    const text = this.raw(name);
    return text === undefined || text.trim() === "" ? [] : text.split(",").map((one) => one.trim());
  }

  /** Notes that a value, or a part of it, is not what is expected. */
  refuse(name: AnnotationName, expected: string, part?: string): void {
    const value = part ?? this.#annotations[`${PREFIX}${name}`];
    const shown = typeof value === "string" ? quoted(value) : String(value).slice(0, MAX_SHOWN);
    this.note("error", name, `${shown} is not ${expected}`);
  }

  /** Notes anything about an annotation. */
  note(severity: Finding["severity"], name: AnnotationName, message: string): void {
    this.findings.push({
      severity,
      path: ["metadata", "annotations", `${PREFIX}${name}`],
      message,
      rule: "annotation",
    });
  }
}

/** The number that is written in `text`, if it lies between. */
export function integerBetween(text: string, { min, max }: { min: number; max: number }): number | undefined {
  if (!/^\+?\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** A value in quotes, shortened. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
}
