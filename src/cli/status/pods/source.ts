import type { PodsDocument, PodsQuery } from "../../../app/pods/mod.ts";

/** Where `chancery status pods` looks; `app/pods` has it of a cluster. */
export interface PodSource {
  /** How messages call it. */
  readonly server: string;
  /** The namespace that is meant where none is named. */
  readonly namespace: string;
  look(query: PodsQuery): Promise<PodsDocument>;
  follow(query: PodsQuery, options: { everyMs: number }): AsyncIterable<PodsDocument>;
}
