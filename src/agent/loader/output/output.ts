import type { Plan, Present } from "../plan.ts";

/** Where files are put in place. All of it throws {@linkcode LoaderFailure} `unwritable`. */
export interface Output {
  /** What is in place: what the loader put there, and what has one of these paths. */
  read(paths: Iterable<string>): Promise<Present>;
  /** Carries a plan out. When the process ends in the middle, each file is either the one before or the one after. */
  carryOut(plan: Plan, present: Present): Promise<void>;
}
