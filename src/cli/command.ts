import type { ProgramName } from "./program_name.ts";
import type { OptionTable, ValuesOf } from "./option.ts";

/** The world as a command sees it. */
export interface CliContext {
  /** How the program was called. */
  readonly program: ProgramName;
  env(name: string): string | undefined;
  /** Writes to standard output; false when nobody reads it any more. */
  out(text: string): boolean;
  /** Writes to standard error. */
  err(text: string): void;
  /** Whether standard output and standard error are terminals. */
  readonly terminal: { readonly out: boolean; readonly err: boolean };
  /** Whether colors may be used on them. */
  readonly color: { readonly out: boolean; readonly err: boolean };
}

/** A word after the subcommand that is no option. */
export interface ArgumentSpec {
  readonly name: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Words with a meaning of their own that may stand first, for completion. */
  readonly words?: readonly string[];
  /** Command line that prints the words that it may be, one per line, for completion. */
  readonly listedBy?: string;
  /** May be given several times; only the last argument of a command. */
  readonly repeated?: true;
  /** Need not be given; only the last argument of a command. */
  readonly optional?: true;
}

/** One subcommand: everything that `--help`, completion and the reference page say, and what it does. */
export interface Command<T extends OptionTable = OptionTable> {
  readonly summary: string;
  /** Paragraphs below the summary. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options: T;
  /** Options may be written with one dash, and flags with a value, as Go's flag package has it. */
  readonly oneDash?: true;
  readonly examples: readonly { readonly run: string; readonly does: string }[];
  /** Gives the exit status. Loads what it needs itself, so that reading the table stays cheap. */
  run(values: ValuesOf<T>, context: CliContext, words: readonly string[]): Promise<number>;
}

/** A command whose table is not known to the compiler; `run` takes what {@linkcode resolveValues} made of the table. */
export type AnyCommand = Omit<Command, "run"> & {
  run(values: never, context: CliContext, words: readonly string[]): Promise<number>;
};

/** Lets the compiler derive the types of the values from the table. */
export function defineCommand<const T extends OptionTable>(command: Command<T>): Command<T> {
  return command;
}
