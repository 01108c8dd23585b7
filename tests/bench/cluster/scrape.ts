/** A scrape of `/metrics`: sums of counters and gauges over labels. */
export class Scrape {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Sum of all series of a metric that hold these labels, e.g. `method="PATCH"`. */
  sum(name: string, ...labels: readonly string[]): number {
    let sum = 0;
    for (const line of this.#text.split("\n")) {
      const found = /^([a-z0-9_]+)(?:\{(.*)\})? ([^ ]+)$/.exec(line);
      if (found?.[1] !== name) continue;
      if (labels.every((label) => (found[2] ?? "").split(",").includes(label))) sum += Number(found[3]);
    }
    return sum;
  }
}
