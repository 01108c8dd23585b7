/**
 * What a real Envoy says to a config: `envoy --mode validate` over everything it can be shown.
 * @module
 */
import { canonicalJson, type Finding } from "../../../base/mod.ts";
import { sha256Hex } from "../../../base/hash/mod.ts";
import type { Registry } from "../../../envoy/mod.ts";
import type { BuiltItem } from "../../../snapshot/mod.ts";
import { bootstrapOf } from "./bootstrap.ts";
import { type Culprit, findCulprits } from "./culprits.ts";
import { type EnvoyProgram, openEnvoy } from "./envoy_process.ts";
import { partsOf } from "./parts.ts";
import { redactWords } from "./redact.ts";
import { openVerdictCache, type VerdictCache } from "./verdict_cache.ts";

export { removeOpenFolders } from "./envoy_process.ts";
export { cacheFolder } from "./verdict_cache.ts";

/** Resources of one node id that could be read. */
export interface Question {
  readonly nodeId?: string;
  readonly built: readonly BuiltItem[];
}

/** An Envoy that is asked. */
export interface SecondOpinion {
  /** What Envoy says, as findings with paths in the object. Never throws for what Envoy does, and never shows a secret. */
  ask(question: Question): Promise<readonly Finding[]>;
}

/** Options of {@linkcode openSecondOpinion}. */
export interface SecondOpinionOptions {
  readonly registry: Registry;
  /** Path, or a name to look for in `$PATH`. */
  readonly envoy: string;
  /** Where answers are kept; nowhere when absent. */
  readonly cache?: string | undefined;
  /** Time for one run of Envoy; 20,000 when absent. */
  readonly deadlineMs?: number;
  /** How many Envoys run at once; one for each core when absent. */
  readonly parallel?: number;
  /** Ends an Envoy that runs, as if its time were over. */
  readonly signal?: AbortSignal;
}

/**
 * An Envoy to ask.
 *
 * @throws {ChanceryError} `unavailable` when there is none
 */
export async function openSecondOpinion(options: SecondOpinionOptions): Promise<SecondOpinion> {
  const { registry, envoy, cache, deadlineMs = 20_000, parallel = navigator.hardwareConcurrency, signal } = options;
  const program = await openEnvoy(envoy, { deadlineMs, signal });
  const places = new Places(Math.max(1, parallel));
  const known = cache === undefined ? undefined : openVerdictCache(cache);
  return { ask: (question) => places.use(() => opinion(question, { registry, program, known })) };
}

async function opinion(
  { nodeId = "", built }: Question,
  { registry, program, known }: { registry: Registry; program: EnvoyProgram; known: VerdictCache | undefined },
): Promise<readonly Finding[]> {
  const { parts, foreignClusters, secrets } = partsOf(built, registry);
  if (parts.length === 0) return [];
  // The paths belong to the question, since they are part of the answer.
  const key = sha256Hex(canonicalJson([FORMAT, program.version, nodeId, foreignClusters, parts]));
  const before = await known?.get(key);
  if (before) return before;
  const culprits = await findCulprits(parts, {
    ask: program.ask,
    bootstrapOf: (tried) => bootstrapOf(tried, { nodeId, foreignClusters }),
  });
  const findings = culprits.map((culprit) => findingOf(culprit, secrets));
  if (culprits.every(({ verdict }) => verdict.kind === "refused")) await known?.put(key, findings);
  return findings;
}

/** Changes when the same config is shown to Envoy in another way, or the answer is put in other words. */
const FORMAT = 1;

function findingOf({ part, verdict }: Culprit, secrets: readonly string[]): Finding {
  const path = part?.path ?? ["spec"];
  const what = part?.label ?? "the resources together";
  switch (verdict.kind) {
    case "refused":
      return {
        severity: "error",
        path,
        message: `Envoy refuses ${what}: ${redactWords(verdict.words, secrets)}`,
        rule: "envoy",
      };
    case "crashed":
      return {
        severity: "warning",
        path,
        message: `Envoy crashed (${verdict.how}) when it was asked about ${what}, so its opinion is not known`,
        rule: "envoy-crash",
      };
    case "late":
      return {
        severity: "warning",
        path,
        message: `Envoy did not answer in time when it was asked about ${what}, so its opinion is not known`,
        rule: "envoy-timeout",
      };
  }
}

/** Lets so many run at once, the rest in the order of their coming. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(free: number) {
    this.#free = free;
  }

  async use<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
