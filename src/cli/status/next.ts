import type { CliContext } from "../command.ts";
import { nameOf } from "../source/names.ts";
import type { Source } from "../source/source.ts";
import { shellWord } from "../text/clean.ts";

/** The commands to type next, for the source that was asked. */
export interface Commands {
  history(key: Named): string;
  status(key: Named, options?: string): string;
  retry(key: Named): string;
  pin(key: Named, version: string): string;
  validate(...paths: string[]): string;
  /** Without a node id a place is left for it. */
  bootstrap(nodeId?: string): string;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** With flags as the source wants them: empty, or beginning with a space. */
export function commandsOf(
  { flags, changeFlags }: Pick<Source, "flags" | "changeFlags">,
  { program }: Pick<CliContext, "program">,
): Commands {
  const command = (verb: string, key: Named, options = "") =>
    `${program} ${verb} ${shellWord(nameOf(key))}${options}${verb === "rollback" ? changeFlags : flags}`;
  return {
    history: (key) => command("history", key),
    status: (key, options = "") => command("status", key, options),
    retry: (key) => command("rollback", key, " --retry"),
    pin: (key, version) => command("rollback", key, ` --to ${shellWord(version)}`),
    validate: (...paths) => `${program} validate ${paths.map(shellWord).join(" ")}`,
    bootstrap: (nodeId) => `${program} bootstrap --node-id ${nodeId === undefined ? "ID" : shellWord(nodeId)}`,
  };
}
