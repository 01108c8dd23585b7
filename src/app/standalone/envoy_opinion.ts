import { join } from "node:path";
import type { Registry } from "../../envoy/mod.ts";
import type { SecondOpinion } from "../validate/mod.ts";

/**
 * The Envoy that a standalone asks; its answers are kept in the data directory. Loaded only when one is asked for.
 *
 * @throws {ChanceryError} `unavailable` when there is none
 */
export async function openEnvoyOpinion(
  envoy: string,
  { registry, data, signal }: { registry: Registry; data: string; signal: AbortSignal },
): Promise<SecondOpinion> {
  const { openSecondOpinion, removeOpenFolders } = await import("../validate/mod.ts");
  globalThis.addEventListener("unload", removeOpenFolders); // a process that ends at once runs no `finally`
  const cache = join(data, "envoy-validate");
  return await openSecondOpinion({ registry, envoy, cache, parallel: 1, signal });
}
