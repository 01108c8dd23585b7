import type { Registry } from "../../envoy/mod.ts";
import { buildSnapshot, type Built, type CheckKeyPair, type Publication } from "../../snapshot/mod.ts";
import type { Candidate } from "./candidates.ts";
import type { NodeInputs, PastBuild, Served } from "./inputs.ts";

/** Options of {@linkcode Builds}. */
export interface BuildsOptions {
  readonly registry: Registry;
  readonly checkKeyPair?: CheckKeyPair;
  /** Under what a version would be published. */
  readonly publicationOf: (version: string) => Publication;
}

/** The snapshots that one plan asked for, each built once, or taken over from the plan before when nothing has changed. */
export class Builds {
  readonly #inputs: NodeInputs;
  readonly #options: BuildsOptions;
  readonly #made = new Map<string, PastBuild>();

  constructor(inputs: NodeInputs, options: BuildsOptions) {
    this.#inputs = inputs;
    this.#options = options;
  }

  /** The build of a candidate; `undefined` when its content cannot be read. One with errors has no snapshot. */
  of({ version, spec }: Candidate): Built | undefined {
    if (!spec) return undefined;
    const known = this.#made.get(version);
    if (known) return known.built;
    const { registry, checkKeyPair, publicationOf } = this.#options;
    const { sources, lastGood, served, unchanged } = this.#inputs;
    const publication = publicationOf(version);
    const before = served?.builds.get(version);
    const { rollbackCount } = publication;
    const same = unchanged && before?.spec === spec && before.rollbackCount === rollbackCount;
    const built = same ? before.built : buildSnapshot(
      { spec, publication, sources, lastGood, ...previous(served, before?.built) },
      { registry, ...(checkKeyPair ? { checkKeyPair } : {}) },
    );
    this.#made.set(version, { spec, rollbackCount, built });
    return built;
  }

  /** For the next plan: what was built now. */
  get made(): Served["builds"] {
    return this.#made;
  }
}

/** Encoded items go by content, so any build before helps; unchanged types of what is served keep their identity. */
function previous(served: Served | undefined, before: Built | undefined) {
  if (!served) return {};
  const cache = before?.cache ?? [...served.builds.values()][0]?.built.cache;
  return cache ? { previous: { cache, snapshot: served.snapshot } } : {};
}
