import type { Finding, PathSegment, Severity } from "../../base/mod.ts";
import type { Registry } from "../registry.ts";

/** Bounds of one reading, so that no input costs more than it should. */
export interface ReadLimits {
  /** Findings after which reading stops; 100 when absent. */
  readonly findings?: number;
  /** Levels of nested objects and arrays; 200 when absent. */
  readonly depth?: number;
}

/** Options of {@linkcode readMessage} and {@linkcode readResource}. */
export interface ReadOptions {
  /** Where the value stands in its document; the paths of all findings begin with it. */
  readonly path?: readonly PathSegment[];
  readonly limits?: ReadLimits;
  /** Whether the rules of `validate.rules` are checked; they are when absent. */
  readonly rules?: boolean;
  /** Whether deprecated fields and values are told; they are when absent. */
  readonly deprecations?: boolean;
  /** Whether no value may show in a finding, whatever its field says; false when absent. */
  readonly sensitive?: boolean;
}

/** One step of the way down, made for each field and read only when there is something to say. */
export interface Path {
  readonly up: Path | undefined;
  readonly segment: PathSegment;
}

/** What a value becomes that could not be read; its finding is already made. */
export const BAD: unique symbol = Symbol("bad");

/** More about a finding than its message. */
export interface Detail {
  readonly rule: string;
  /** The value to show; dropped below sensitive fields. */
  readonly value?: unknown;
  readonly suggestion?: string | undefined;
}

/** Thrown to end a reading that has said enough. */
export class TooManyFindings extends Error {}

const DEFAULT_FINDINGS = 100;
const DEFAULT_DEPTH = 200;
const MAX_SUGGESTIONS = 20;
const MAX_SHOWN = 60;

/** What one reading has found so far, and how much more it may find. */
export class ReadContext {
  readonly registry: Registry;
  readonly findings: Finding[] = [];
  readonly checkRules: boolean;
  readonly tellDeprecations: boolean;
  readonly maxDepth: number;
  readonly #root: readonly PathSegment[];
  readonly #maxFindings: number;
  #errors = 0;
  #suggestions = 0;
  #sensitive: number;

  constructor(registry: Registry, options: ReadOptions) {
    this.registry = registry;
    this.#root = options.path ?? [];
    this.#maxFindings = options.limits?.findings ?? DEFAULT_FINDINGS;
    this.maxDepth = options.limits?.depth ?? DEFAULT_DEPTH;
    this.checkRules = options.rules ?? true;
    this.tellDeprecations = options.deprecations ?? true;
    this.#sensitive = options.sensitive === true ? 1 : 0;
  }

  /** Whether anything was wrong so far. */
  get failed(): boolean {
    return this.#errors > 0;
  }

  /** Notes an error and gives back {@linkcode BAD}. */
  error(path: Path | undefined, message: string, detail: Detail): typeof BAD {
    this.#errors++;
    this.#note("error", { path, message, detail });
    return BAD;
  }

  warn(path: Path | undefined, message: string, detail: Detail): void {
    this.#note("warning", { path, message, detail });
  }

  /** `string "abc"` as it may be told: below a sensitive field only the type. */
  describe(value: unknown): string {
    const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    if (this.#sensitive > 0 || kind === "null" || kind === "array" || kind === "object") return kind;
    return `${kind} ${this.show(value)}`;
  }

  /** The value shortened and in quotes, or a word in its place where it must not be seen. */
  show(value: unknown): string {
    if (this.#sensitive > 0) return '"[redacted]"';
    return JSON.stringify(shorten(typeof value === "string" ? value : JSON.stringify(value) ?? String(value)));
  }

  /** A suggestion, unless many were made already: each compares with all names. */
  suggest(find: () => string | undefined): string | undefined {
    return this.#suggestions++ < MAX_SUGGESTIONS ? find() : undefined;
  }

  /** Runs `read` with all values hidden. */
  hide<T>(read: () => T): T {
    this.#sensitive++;
    try {
      return read();
    } finally {
      this.#sensitive--;
    }
  }

  #note(
    severity: Severity,
    { path, message, detail }: { path: Path | undefined; message: string; detail: Detail },
  ): void {
    const shown = detail.value === undefined || this.#sensitive > 0 || typeof detail.value === "object"
      ? undefined
      : shorten(String(detail.value));
    this.findings.push({
      severity,
      path: [...this.#root, ...segmentsOf(path)],
      message,
      rule: detail.rule,
      ...(shown === undefined ? {} : { value: shown }),
      ...(detail.suggestion === undefined ? {} : { suggestion: detail.suggestion }),
    });
    if (this.findings.length >= this.#maxFindings) throw new TooManyFindings();
  }

  /** Says that reading ended early; an error, since what follows was not looked at. */
  noteStopped(): void {
    this.findings.push({
      severity: "error",
      path: [...this.#root],
      message: `more than ${this.#maxFindings} problems, the rest was not read`,
      rule: "too-many-findings",
    });
  }
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3).toWellFormed()}...` : text;
}

function segmentsOf(path: Path | undefined): PathSegment[] {
  const segments: PathSegment[] = [];
  for (let at = path; at; at = at.up) segments.push(at.segment);
  return segments.reverse();
}
