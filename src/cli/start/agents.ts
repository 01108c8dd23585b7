import type { AnyCommand } from "../command.ts";
import { UsageError } from "../exit_code.ts";
import { fromOneDash } from "../one_dash.ts";
import { givenIn } from "./plain_words.ts";
import { reportError } from "../report_error.ts";
import { terminalContext } from "../terminal.ts";
import { resolveValues } from "../values.ts";

/** Gives a command when it is needed. */
type Load = () => Promise<{ readonly command: AnyCommand }>;

/** Commands that run in every pod, where each megabyte counts as often as there are pods. */
const AGENTS: Readonly<Record<string, Load>> = {
  "init-manager": () => import("../commands/init_manager.ts" as string),
  "shutdown-manager": () => import("../commands/shutdown_manager.ts" as string),
  loader: () => import("../commands/loader.ts" as string),
};

/**
 * Runs the command line of an agent without the parser and the help of the others, which take three times what an agent takes. Gives
 * `undefined` for all that is not plain, mistakes included: the whole program has the words for them.
 */
export async function runAgent(
  [name = "", ...words]: readonly string[],
  agents: Readonly<Record<string, Load>> = AGENTS,
): Promise<number | undefined> {
  const load = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (!load) return undefined;
  const { command } = await load();
  const given = givenIn(command.oneDash ? fromOneDash(words, command.options) : words, command.options);
  if (!given) return undefined;
  const context = terminalContext("chancery");
  try {
    const values = resolveValues(command.options, given, context.env);
    // The values were made from this command's own table, which `never` cannot express.
    return await command.run(values as never, context, []);
  } catch (thrown) {
    return thrown instanceof UsageError ? undefined : reportError(thrown, { context, chosen: name });
  }
}
