import { runAgent } from "./agents.ts";
import type { Parts } from "./parts.ts";

/**
 * Runs a command line and gives the exit status. Whatever is for people is loaded only when it is not one of the plain command lines by
 * which pods start our agents.
 */
export async function main(argv: readonly string[], parts: Parts): Promise<number> {
  const status = await runAgent(argv, parts.agents);
  if (status !== undefined) return status;
  const { calledAs, runCli, terminalContext } = await parts.whole();
  return await runCli(argv, terminalContext(calledAs()));
}
