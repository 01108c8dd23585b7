import { ChanceryError, errorMessage } from "../base/mod.ts";
import type { CliContext } from "./command.ts";
import { EXIT, UsageError } from "./exit_code.ts";

/** Tells on standard error why a command could not go on, and gives the exit status. */
export function reportError(thrown: unknown, { context, chosen }: { context: CliContext; chosen: string }): number {
  const mark = context.color.err ? "\x1b[31merror:\x1b[0m" : "error:";
  if (thrown instanceof UsageError) {
    context.err(`${thrown.message.replace(/^/gm, `${mark} `)}\nTry: ${context.program} ${chosen} --help\n`);
  } else if (thrown instanceof ChanceryError) {
    context.err(`${mark} ${thrown.message}\n`);
  } else {
    const stack = thrown instanceof Error && thrown.stack ? thrown.stack : errorMessage(thrown);
    context.err(`${mark} Cannot go on because of a mistake in Chancery itself: ${stack}\n`);
  }
  return EXIT.usage;
}
