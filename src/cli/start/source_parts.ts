import type { AnyCommand } from "../command.ts";
import type { Parts } from "./parts.ts";

/**
 * Of the source tree. The paths are no literals, since Deno reads the files behind all literals before it begins, which takes an agent
 * twice as long and a third more memory.
 */
export const SOURCE_PARTS: Parts = {
  whole: () => load<typeof import("../mod.ts")>("../mod.ts"),
  agents: {
    "init-manager": () => load<Loaded>("../commands/init_manager.ts"),
    "shutdown-manager": () => load<Loaded>("../commands/shutdown_manager.ts"),
    loader: () => load<Loaded>("../commands/loader.ts"),
  },
};

type Loaded = { readonly command: AnyCommand };

async function load<T>(path: string): Promise<T> {
  return await import(new URL(path, import.meta.url).href) as T; // what the file exports
}
