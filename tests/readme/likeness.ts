/** What is different each time that a command is run, and what it is called here. The order counts. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<date>"],
  [/\b\d\d:\d\d:\d\d\.\d+\b/g, "<clock>"],
  [/\b(127\.0\.0\.1|localhost):\d{2,5}\b/g, "<address>"],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uid>"],
  // Pods of Deployments: as many letters as Kubernetes makes of them.
  [/-[0-9a-z]{8,10}-[0-9a-z]{5}\b/g, "-<pod>"],
  [/\b[0-9a-f]{16}\b/g, "<fingerprint>"],
  // How often a container was started anew: a busy machine may have been too slow for a probe.
  [/\b\d+ +\(\w+ ago\)/g, "0"],
  [/\b\d+(\.\d+)?(ms|s|m|h|d|y)(\d+(ms|s|m|h|d))?\b/g, "<time>"],
];

/** Letters and digits that versions of EnvoyConfigs are made of. */
const VERSION = /\b(?=[a-z]*[2-7])[a-z2-7]{10}\b/g;

/**
 * Compares what a document shows of an output with an output. What passes (times, ports, names of pods) counts as the same, and so
 * does white space; a version may be another one, the same at each place. `…` stands for anything within a line, and alone for any lines.
 */
export class Likeness {
  /** The version that stands for each one that is shown, and the other way around. */
  readonly #versions = new Map<string, string>();
  readonly #shownAs = new Map<string, string>();

  /** What is different, or `undefined` when nothing is. */
  difference(shown: readonly string[], output: string): string | undefined {
    const actual = output.replace(/\n+$/, "").split("\n").map(plain);
    if (actual.length === 1 && actual[0] === "") actual.pop();
    const wanted = shown.map(plain);
    const missing = this.#unmatched(wanted, actual);
    if (missing === undefined) return undefined;
    return missing < wanted.length
      ? `there is no line like ${JSON.stringify(shown[missing])} where it is expected`
      : "there are more lines than shown";
  }

  /** A text with the versions of here instead of those that are shown, as a reader types them. */
  translated(text: string): string {
    return text.replace(VERSION, (version) => this.#versions.get(version) ?? version);
  }

  /** Index of the first wanted line without a counterpart; the length of `wanted` when lines are left over. */
  #unmatched(wanted: readonly string[], actual: readonly string[]): number | undefined {
    let furthest = -1;
    const versions: [string, string][] = [];
    const match = (at: number, line: number): boolean => {
      furthest = Math.max(furthest, at);
      if (at === wanted.length) return line === actual.length;
      if (wanted[at] === "…") {
        for (let next = line; next <= actual.length; next++) if (match(at + 1, next)) return true;
        return false;
      }
      const found = actual[line];
      if (found === undefined) return false;
      const pairs = this.#alike(wanted[at]!, found, versions);
      if (pairs === undefined) return false;
      versions.push(...pairs);
      if (match(at + 1, line + 1)) return true;
      versions.length -= pairs.length;
      return false;
    };
    if (!match(0, 0)) return furthest;
    for (const [shown, actual] of versions) {
      this.#versions.set(shown, actual);
      this.#shownAs.set(actual, shown);
    }
    return undefined;
  }

  /** The versions of two lines that are alike, side by side; `undefined` for lines that are not. */
  #alike(wanted: string, actual: string, pending: readonly [string, string][]): [string, string][] | undefined {
    const shown = [...wanted.matchAll(VERSION)].map(([text]) => text);
    const pattern = wanted.replace(VERSION, "<version>")
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll("…", ".*")
      .replaceAll("<version>", "([a-z2-7]{10})");
    const found = new RegExp(`^${pattern}$`).exec(actual);
    if (!found) return undefined;
    const pairs: [string, string][] = [];
    for (const [index, text] of shown.entries()) {
      const other = found[index + 1]!;
      const before = [...pending, ...pairs];
      const known = before.findLast(([one]) => one === text)?.[1] ?? this.#versions.get(text) ?? other;
      const shownAs = before.findLast(([, one]) => one === other)?.[0] ?? this.#shownAs.get(other) ?? text;
      if (known !== other || shownAs !== text) return undefined;
      pairs.push([text, other]);
    }
    return pairs;
  }
}

/** A line without what passes, and with single spaces. */
function plain(line: string): string {
  let text = line;
  for (const [pattern, name] of PASSING) text = text.replace(pattern, name);
  return text.trim().replace(/\s+/g, " ");
}
