import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { PathSegment } from "../finding.ts";
import { resolveScalar } from "./scalar.ts";

/** Something found while building; `offset` is in the text. */
export interface Complaint {
  readonly severity: "error" | "warning";
  readonly offset: number;
  readonly path: readonly PathSegment[];
  readonly rule: string;
  readonly message: string;
}

interface Anchored {
  value: unknown;
  /** Nodes and characters below, aliases expanded. */
  weight: number;
  /** Still being built: an alias to it would contain itself. */
  open: boolean;
}

const CORE = "tag:yaml.org,2002:";
const COLLECTION_TAGS = new Set(["map", "seq", "set", "omap", "pairs"].map((name) => CORE + name));

/** Builds the JSON value of one document; depth is bounded by who composed it. */
export class Builder {
  readonly complaints: Complaint[] = [];
  readonly #anchors = new Map<string, Anchored>();
  readonly #path: PathSegment[] = [];
  readonly #text: string;
  readonly #maxExpansion: number;
  #expanded = 0;
  #weight = 0;

  /** Builds from trees of `text`; aliases may add up to `maxExpansion` characters and nodes. */
  constructor(text: string, maxExpansion: number) {
    this.#text = text;
    this.#maxExpansion = maxExpansion;
  }

  /** The value of a node; what cannot be a value is null and complained of. */
  build(node: unknown): unknown {
    if (isAlias(node)) return this.#alias(node.source, offsetOf(node));
    const anchor = isNodeWithAnchor(node) ? node.anchor : undefined;
    if (anchor === undefined) return this.#plain(node);
    const entry: Anchored = { value: null, weight: 0, open: true };
    this.#anchors.set(anchor, entry);
    const before = this.#weight;
    entry.value = this.#plain(node);
    entry.weight = this.#weight - before;
    entry.open = false;
    return entry.value;
  }

  #plain(node: unknown): unknown {
    this.#weight++;
    if (isMap(node)) return this.#map(node, node.items);
    if (isPair(node)) return this.#map(undefined, [node]); // an entry of !!omap or !!pairs
    if (isSeq(node)) return this.#seq(node);
    return this.#scalar(node);
  }

  #map(node: YAMLMap | undefined, pairs: readonly Pair[]): Record<string, unknown> {
    if (node) this.#checkTag(node);
    const out: Record<string, unknown> = {};
    const merges: unknown[] = [];
    for (const pair of pairs) {
      const offset = offsetOf(pair.key);
      if (isMergeKey(pair)) {
        merges.push(this.#at("<<", () => this.build(pair.value)));
        if (!isMergeSource(merges.at(-1))) this.#complain("error", offset, "merge", "only mappings can be merged in");
        continue;
      }
      const key = keyText(pair.key);
      if (key === undefined) {
        this.#complain("error", offset, "key", "a key must be a word, a number or a truth value");
        continue;
      }
      this.#weight += key.length;
      if (Object.hasOwn(out, key)) {
        this.#at(key, () => this.#complain("error", offset, "duplicate-key", `key ${shown(key)} is set twice`));
        continue;
      }
      setOwn(out, key, this.#at(key, () => this.build(pair.value)));
    }
    for (const source of merges.flat()) mergeInto(out, source);
    return out;
  }

  #seq(node: YAMLSeq): unknown[] {
    this.#checkTag(node);
    return node.items.map((item, index) => this.#at(index, () => this.build(item)));
  }

  #scalar(node: unknown): unknown {
    if (node === null || node === undefined) return null;
    if (!isScalar(node)) {
      this.#complain("error", 0, "syntax", "this cannot be read as a value");
      return null;
    }
    const source = node.source ?? "";
    this.#weight += source.length;
    const text = typeof node.value === "string" ? this.#withoutAddedBreak(node.value, node) : source;
    if (!text.isWellFormed()) this.#complain("error", offsetOf(node), "unicode", "half of a surrogate pair is no text");
    if (node.tag === CORE + "binary") return this.#binary(text, offsetOf(node));
    const typed = node.tag !== undefined && ["int", "float", "bool", "null"].some((name) => node.tag === CORE + name);
    if (!typed && (node.type !== "PLAIN" || node.tag !== undefined)) {
      this.#checkTag(node);
      return text;
    }
    const resolved = resolveScalar(text);
    if ("error" in resolved) {
      this.#complain("error", offsetOf(node), "no-json", resolved.error);
      return null;
    }
    if (resolved.warning) this.#complain("warning", offsetOf(node), "unsafe-integer", resolved.warning);
    if (typed && !fitsTag(resolved.value, node.tag!)) {
      this.#complain("error", offsetOf(node), "tag", `this is no value of type !!${node.tag!.slice(CORE.length)}`);
    }
    return resolved.value;
  }

  /** The library ends a block scalar at the very end of the text with a line break even where none was written. */
  #withoutAddedBreak(value: string, node: Scalar): string {
    if (node.type !== "BLOCK_LITERAL" && node.type !== "BLOCK_FOLDED") return value;
    // asked first, for it holds for one scalar at most: the last line may be long
    if (node.range?.[1] !== this.#text.length) return value;
    const lastLine = this.#text.slice(this.#text.lastIndexOf("\n") + 1);
    const added = value.endsWith("\n") && /\S/.test(lastLine);
    return added ? value.slice(0, -1) : value;
  }

  #binary(text: string, offset: number): string {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(text));
    } catch {
      this.#complain("error", offset, "tag", "this is no base64 of UTF-8 text, as !!binary wants");
      return "";
    }
  }

  #alias(name: string, offset: number): unknown {
    const anchored = this.#anchors.get(name);
    if (anchored === undefined || anchored.open) {
      // Not its name: a password that begins with an asterisk and lacks quotes looks like an alias (I14).
      const why = anchored
        ? "this alias contains itself"
        : 'this alias has no anchor before it; text that begins with "*" needs quotes';
      this.#complain("error", offset, "alias", why);
      return null;
    }
    const before = this.#expanded;
    this.#expanded += anchored.weight;
    this.#weight += anchored.weight;
    if (this.#expanded <= this.#maxExpansion) return anchored.value;
    if (before <= this.#maxExpansion) {
      this.#complain("error", offset, "alias-expansion", "aliases repeat too much; write less, or split the file");
    }
    return null;
  }

  #checkTag(node: Node): void {
    const tag = node.tag;
    if (tag === undefined || tag === "!" || tag === CORE + "str" || tag === CORE + "timestamp") return;
    if (COLLECTION_TAGS.has(tag) && !isScalar(node)) return;
    this.#complain("warning", offsetOf(node), "unknown-tag", "this tag means nothing here and is left out");
  }

  #at<T>(segment: PathSegment, run: () => T): T {
    this.#path.push(segment);
    try {
      return run();
    } finally {
      this.#path.pop();
    }
  }

  #complain(severity: Complaint["severity"], offset: number, rule: string, message: string): void {
    this.complaints.push({ severity, offset, path: [...this.#path], rule, message });
  }
}

/** The text of a mapping key as JSON wants it, or `undefined` when it cannot be one. */
export function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  const text = typeof key.value === "string" ? key.value : key.source ?? "";
  if (key.type !== "PLAIN" || key.tag !== undefined) return text;
  const resolved = resolveScalar(text);
  return "error" in resolved || resolved.value === null ? undefined : String(resolved.value);
}

/** Whether a pair says `<<: …`. */
export function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.source === "<<" && pair.key.tag === undefined;
}

/** Where a node starts in the text. */
export function offsetOf(node: unknown): number {
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === "number" ? range[0] : 0;
}

function isNodeWithAnchor(node: unknown): node is { anchor: string } {
  return typeof node === "object" && node !== null && "anchor" in node && typeof node.anchor === "string";
}

function isMergeSource(value: unknown): boolean {
  const isRecord = (v: unknown) => typeof v === "object" && v !== null && !Array.isArray(v);
  return Array.isArray(value) ? value.every(isRecord) : isRecord(value);
}

/** Keys that are there already win, as do earlier sources. */
function mergeInto(out: Record<string, unknown>, source: unknown): void {
  if (typeof source !== "object" || source === null || Array.isArray(source)) return;
  for (const [key, value] of Object.entries(source)) if (!Object.hasOwn(out, key)) setOwn(out, key, value);
}

/** A key like `__proto__` is a key and nothing else. */
function setOwn(out: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(out, key, { value, enumerable: true, configurable: true, writable: true });
  } else out[key] = value; // many times faster
}

function fitsTag(value: unknown, tag: string): boolean {
  const name = tag.slice(CORE.length);
  if (name === "null") return value === null;
  if (name === "bool") return typeof value === "boolean";
  return typeof value === "number" && (name === "float" || Number.isInteger(value));
}

/** Keys are shown, since nobody can find a fault without them; long ones are cut. */
function shown(key: string): string {
  return JSON.stringify(key.length > 40 ? `${key.slice(0, 37)}...` : key);
}
