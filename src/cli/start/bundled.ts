/**
 * The program as it is bundled: by paths that a bundler can follow, and without an await of its own, since what it is bundled to is a
 * function. Not to be imported.
 * @module
 */
import { main } from "./main.ts";
import type { Parts } from "./parts.ts";

const PARTS: Parts = {
  whole: () => import("../mod.ts"),
  agents: {
    "init-manager": () => import("../commands/init_manager.ts"),
    "shutdown-manager": () => import("../commands/shutdown_manager.ts"),
    loader: () => import("../commands/loader.ts"),
  },
};

main(Deno.args, PARTS).then((status) => Deno.exit(status));
