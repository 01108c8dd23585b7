import { ChanceryError } from "../../../base/mod.ts";

/** Longest line, in UTF-16 units: many times what an API server stores as one object. */
const MAX_LINE = 32 * 1024 * 1024;

/** Cuts bytes that come in any pieces into lines. An end without a line feed is no line: the connection broke within it. */
export class Lines {
  readonly #decoder = new TextDecoder();
  readonly #max: number;
  #open: string[] = [];
  #length = 0;

  constructor(max = MAX_LINE) {
    this.#max = max;
  }

  /** The lines that are complete now, without their line feeds; empty ones are left out. */
  take(bytes: Uint8Array): string[] {
    const [first = "", ...rest] = this.#decoder.decode(bytes, { stream: true }).split("\n");
    this.#open.push(first);
    this.#length += first.length;
    if (this.#length > this.#max) throw new ChanceryError("unavailable", "Cannot read a watch: one line is too long");
    if (rest.length === 0) return [];
    const lines = [this.#open.join(""), ...rest.slice(0, -1)];
    const last = rest[rest.length - 1]!; // not empty
    this.#open = [last];
    this.#length = last.length;
    return lines.filter((line) => line.trim() !== "");
  }
}
