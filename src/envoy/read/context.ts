import type { Finding, PathSegment, Severity } from "../../base/mod.ts";
import type { Registry } from "../registry.ts";

/** Bounds of one reading, so that no input costs more than it should. */
export interface ReadLimits {
  /** Findings after which reading stops; 100 when absent. */
  readonly findings?: number;
  /** Levels of nested objects and lists; 200 when absent. */
  readonly depth?: number;
}

/** Options of `readMessage()` and `readResource()`. */
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

/** A value and its place: made for each value on the way down, its path put together only when there is something to say. */
export interface Spot {
  readonly value: unknown;
  /** Undefined for the whole value. */
  readonly up: Spot | undefined;
  readonly segment: PathSegment | undefined;
}

/** What a value becomes that could not be read; its finding is already made. */
export const BAD: unique symbol = Symbol("bad");

/** More about a finding than its message. */
export interface Detail {
  readonly rule: string;
  /** Whether the finding shows the value, when it is a scalar and not sensitive. */
  readonly show?: boolean;
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
  readonly tellDeprecations: boolean;
  readonly maxDepth: number;
  readonly #root: readonly PathSegment[];
  readonly #maxFindings: number;
  #errors = 0;
  #suggestions = 0;
  #hidden: number;
  readonly #allUnchecked: number;
  #unchecked: number;

  constructor(registry: Registry, options: ReadOptions = {}) {
    this.registry = registry;
    this.#root = options.path ?? [];
    this.#maxFindings = options.limits?.findings ?? DEFAULT_FINDINGS;
    this.maxDepth = options.limits?.depth ?? DEFAULT_DEPTH;
    this.tellDeprecations = options.deprecations ?? true;
    this.#allUnchecked = options.rules === false ? 1 : 0;
    this.#unchecked = this.#allUnchecked;
    this.#hidden = options.sensitive === true ? 1 : 0;
  }

  /** Whether anything was wrong so far. */
  get failed(): boolean {
    return this.#errors > 0;
  }

  /** Whether the rules of `validate.rules` count here. */
  get checksRules(): boolean {
    return this.#unchecked === 0;
  }

  /** Notes an error and gives back {@linkcode BAD}. */
  error(spot: Spot, message: string, detail: Detail): typeof BAD {
    this.#errors++;
    this.#note("error", spot, { message, ...detail });
    return BAD;
  }

  warn(spot: Spot, message: string, detail: Detail): void {
    this.#note("warning", spot, { message, ...detail });
  }

  /** Notes that something else was expected here. */
  wrongType(
    spot: Spot,
    wanted: string,
    { hint = "", suggestion }: { hint?: string; suggestion?: string } = {},
  ): typeof BAD {
    const message = `expected ${wanted}, found ${this.#describe(spot.value)}${hint}`;
    return this.error(spot, message, { rule: "wrong-type", show: true, suggestion });
  }

  /** The value shortened and in quotes, or a word in its place where it must not be seen. */
  quote(value: unknown): string {
    return this.#hidden > 0 ? '"[redacted]"' : JSON.stringify(shorten(textOf(value)));
  }

  /** A suggestion, unless many were made already: each compares with all names. */
  suggest(find: () => string | undefined): string | undefined {
    return this.#suggestions++ < MAX_SUGGESTIONS ? find() : undefined;
  }

  /** Runs `read` with all values hidden, or with rules unchecked, or both. */
  under<T>({ hidden, unchecked }: { hidden: boolean; unchecked: boolean }, read: () => T): T {
    this.#hidden += hidden ? 1 : 0;
    this.#unchecked += unchecked ? 1 : 0;
    const result = read(); // what is thrown ends the whole reading, so there is nothing to put back
    this.#hidden -= hidden ? 1 : 0;
    this.#unchecked -= unchecked ? 1 : 0;
    return result;
  }

  /** Runs `read` with rules checked again, if they are at all: Envoy checks what is in an Any on its own. */
  checkedAgain<T>(read: () => T): T {
    const outer = this.#unchecked;
    this.#unchecked = this.#allUnchecked;
    const result = read();
    this.#unchecked = outer;
    return result;
  }

  /** Says that reading ended early; an error, since what follows was not looked at. */
  noteStopped(): void {
    this.findings.push({
      severity: "error",
      path: [...this.#root],
      message: `reading stopped after ${this.#maxFindings} problems`,
      rule: "too-many-findings",
    });
  }

  /** `string "abc"`, or the type alone where that is all or the value must not be seen. */
  #describe(value: unknown): string {
    const kind = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
    return kind === "null" || typeof value === "object" || this.#hidden > 0 ? kind : `${kind} ${this.quote(value)}`;
  }

  #note(
    severity: Severity,
    spot: Spot,
    { message, rule, show, suggestion }: Detail & { readonly message: string },
  ): void {
    const shown = show === true && this.#hidden === 0 && typeof spot.value !== "object";
    this.findings.push({
      severity,
      path: [...this.#root, ...pathOf(spot)],
      message,
      rule,
      ...(shown ? { value: shorten(textOf(spot.value)) } : {}),
      ...(suggestion === undefined ? {} : { suggestion }),
    });
    if (this.findings.length >= this.#maxFindings) throw new TooManyFindings();
  }
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A text that fits into a line. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3).toWellFormed()}...` : text;
}

function pathOf(spot: Spot): PathSegment[] {
  const segments: PathSegment[] = [];
  for (let at: Spot | undefined = spot; at?.segment !== undefined; at = at.up) segments.push(at.segment);
  return segments.reverse();
}
