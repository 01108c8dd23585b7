import type { CliContext } from "./command.ts";
import { runCli } from "./program.ts";

/** What a command line gave. For tests. */
export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line with a terminal that only remembers. */
export async function runCaptured(
  argv: readonly string[],
  options: { env?: Readonly<Record<string, string>>; color?: boolean; program?: CliContext["program"] } = {},
): Promise<Outcome> {
  let out = "";
  let err = "";
  const context: CliContext = {
    program: options.program ?? "chancery",
    env: (name) => options.env?.[name],
    out: (text) => (out += text, true),
    err: (text) => void (err += text),
    terminal: { out: false, err: false },
    color: { out: options.color ?? false, err: options.color ?? false },
  };
  const status = await runCli(argv, context);
  return { status, out, err };
}
