import type { AskEnvoy, Verdict } from "./envoy_process.ts";
import type { Part } from "./parts.ts";

/** What Envoy has against one part, or (without a part) against all of them together. */
export interface Culprit {
  readonly part?: Part;
  readonly verdict: Exclude<Verdict, { kind: "accepted" }>;
}

/** Envoy names no resource, so halves of the config are asked about; at most this often for one config. */
const MAX_QUESTIONS = 100;

/**
 * Who is to blame when Envoy does not take the parts. Each of several is found, though Envoy stops at the first. Those of the
 * first stage that Envoy takes are there when the others are asked about. `bootstrapOf` makes the question.
 */
export async function findCulprits(
  parts: readonly Part[],
  { ask, bootstrapOf }: { ask: AskEnvoy; bootstrapOf: (parts: readonly Part[]) => string },
): Promise<Culprit[]> {
  const first = await ask(bootstrapOf(parts));
  if (first.kind === "accepted") return [];
  if (first.kind === "late") return [{ verdict: first }]; // each half might take as long
  const search = new Search((tried) => ask(bootstrapOf(tried)));
  const supply = parts.filter(({ stage }) => stage === "supply");
  await search.among(supply, []);
  const good = supply.filter((part) => !search.blamed.has(part));
  await search.among(parts.filter(({ stage }) => stage === "use"), good);
  return search.culprits.length > 0 ? search.culprits : [{ verdict: first }];
}

class Search {
  readonly culprits: Culprit[] = [];
  readonly blamed = new Set<Part>();
  readonly #ask: (parts: readonly Part[]) => Promise<Verdict>;
  #questions = 0;

  constructor(ask: (parts: readonly Part[]) => Promise<Verdict>) {
    this.#ask = ask;
  }

  /** Finds the culprits among `parts`, given that `context` is good. */
  async among(parts: readonly Part[], context: readonly Part[]): Promise<void> {
    if (parts.length === 0 || this.#questions >= MAX_QUESTIONS) return;
    this.#questions++;
    const verdict = await this.#ask([...context, ...parts]);
    if (verdict.kind === "accepted") return;
    const [only] = parts;
    if (parts.length === 1 && only) {
      this.blamed.add(only);
      this.culprits.push({ part: only, verdict });
      return;
    }
    if (verdict.kind === "late") return;
    const middle = parts.length >> 1;
    const before = this.culprits.length;
    await this.among(parts.slice(0, middle), context);
    await this.among(parts.slice(middle), context);
    // Each half alone is taken: they do not go together, as two listeners of one address.
    if (this.culprits.length === before && this.#questions < MAX_QUESTIONS) this.culprits.push({ verdict });
  }
}
