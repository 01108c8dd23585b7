import { runAgent } from "./agents.ts";

/**
 * Runs a command line and gives the exit status. Whatever is for people is loaded only when it is not one of the plain command lines by
 * which pods start our agents.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const status = await runAgent(argv);
  if (status !== undefined) return status;
  const { calledAs, runCli, terminalContext } = await import("../mod.ts" as string) as typeof import("../mod.ts");
  return await runCli(argv, terminalContext(calledAs()));
}
