import { nameOf } from "../source/names.ts";
import type { Source } from "../source/source.ts";
import { shellWord } from "../text/clean.ts";

/** The commands to type next, for the source that was asked. */
export interface Commands {
  history(key: Named): string;
  status(key: Named, options?: string): string;
  retry(key: Named): string;
  pin(key: Named, version: string): string;
  validate(file: string): string;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** With flags as the source wants them: empty, or beginning with a space. */
export function commandsOf({ flags, changeFlags }: Pick<Source, "flags" | "changeFlags">): Commands {
  const command = (verb: string, key: Named, options = "") =>
    `chancery ${verb} ${shellWord(nameOf(key))}${options}${verb === "rollback" ? changeFlags : flags}`;
  return {
    history: (key) => command("history", key),
    status: (key, options = "") => command("status", key, options),
    retry: (key) => command("rollback", key, " --retry"),
    pin: (key, version) => command("rollback", key, ` --to ${shellWord(version)}`),
    validate: (file) => `chancery validate ${shellWord(file)}`,
  };
}
