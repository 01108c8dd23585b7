/**
 * A loader that stands still before its Nth rename, for a test to kill it there: `stopping.ts N ARGUMENTS…`. Says when it does.
 * @module
 */
import { runCli, terminalContext } from "../../src/cli/mod.ts";

let left = Number(Deno.args[0]);
const rename = Deno.rename;
Deno.rename = async (from, to) => {
  if (left-- > 0) return await rename(from, to);
  Deno.stdout.writeSync(new TextEncoder().encode("standing still\n"));
  await new Promise((resolve) => setTimeout(resolve, 60_000));
};
Deno.exit(await runCli(["loader", ...Deno.args.slice(1)], terminalContext("chancery")));
