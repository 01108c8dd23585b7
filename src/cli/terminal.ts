import type { CliContext } from "./command.ts";
import type { ProgramName } from "./program_name.ts";

/** The real terminal and environment. Writes are synchronous, so that nothing is lost when the process ends. */
export function terminalContext(program: ProgramName): CliContext {
  const noColor = Boolean(Deno.env.get("NO_COLOR")) || Deno.env.get("TERM") === "dumb";
  const terminal = { out: Deno.stdout.isTerminal(), err: Deno.stderr.isTerminal() };
  return {
    program,
    env: (name) => Deno.env.get(name),
    out: (text) => writeAll(Deno.stdout, text),
    err: (text) => void writeAll(Deno.stderr, text),
    terminal,
    color: { out: !noColor && terminal.out, err: !noColor && terminal.err },
  };
}

/** False when nobody reads any more. */
function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): boolean {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(stream.writeSync(bytes));
    } catch (thrown) {
      // The reader has gone (`chancery … | head`): nobody is left to tell.
      if (thrown instanceof Deno.errors.BrokenPipe) return false;
      // A pipe that is full and non-blocking: the reader is only slow.
      if (thrown instanceof Deno.errors.WouldBlock) continue;
      throw thrown;
    }
  }
  return true;
}
