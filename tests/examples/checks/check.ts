import type { Authority } from "../../certificates.ts";
import type { RunningStandalone } from "../../envoy/harness/mod.ts";

/** What the examples share: one control plane, and whoever issues certificates. */
export interface Scene {
  readonly chancery: RunningStandalone;
  readonly authority: Authority;
}

/** Does what an example proposes, and looks for what its comments promise. */
export type Check = (scene: Scene) => Promise<void>;
