import type { SourcePosition } from "../finding.ts";

/** Turns offsets of a text into lines and columns, both from 1. Lines are found on first use. */
export class Lines {
  readonly #file: string;
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /** The position of the character at `offset`; the end of the text when it is past it. */
  at(offset: number): SourcePosition {
    const starts = this.#starts ??= lineStarts(this.#text);
    const wanted = Math.max(0, Math.min(offset, this.#text.length));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= wanted) low = middle;
      else high = middle - 1;
    }
    return { file: this.#file, line: low + 1, column: wanted - starts[low]! + 1 };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
