import type { CliContext } from "./command.ts";
import { runCli } from "./program.ts";

/** What a command line gave. For tests. */
export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** A terminal that only remembers, and what it was told so far. */
export interface FakeTerminal {
  readonly context: CliContext;
  readonly told: { out: string; err: string };
}

/** Makes one. */
export function fakeTerminal(
  { env = {}, color = false, program = "chancery" }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly color?: boolean;
    readonly program?: CliContext["program"];
  } = {},
): FakeTerminal {
  const told = { out: "", err: "" };
  const context: CliContext = {
    program,
    env: (name) => env[name],
    out: (text) => (told.out += text, true),
    err: (text) => void (told.err += text),
    terminal: { out: false, err: false },
    color: { out: color, err: color },
  };
  return { context, told };
}

/** Runs a command line with a terminal that only remembers. */
export async function runCaptured(
  argv: readonly string[],
  options: Parameters<typeof fakeTerminal>[0] = {},
): Promise<Outcome> {
  const { context, told } = fakeTerminal(options);
  return { status: await runCli(argv, context), ...told };
}
