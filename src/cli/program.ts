import { Command as Commander, CommanderError, Help, Option } from "commander";
import type { AnyCommand, ArgumentSpec, CliContext } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, EXIT_HELP } from "./exit_code.ts";
import { fromOneDash } from "./one_dash.ts";
import { flagOf } from "./option.ts";
import { optionHelp, optionTerm } from "./option_help.ts";
import { reportError } from "./report_error.ts";
import { type Given, resolveValues } from "./values.ts";
import { ENVOY_API, VERSION } from "./version.ts";

/**
 * Runs the command line `argv` (without the program's name) and gives the exit status. Only the chosen subcommand is loaded.
 * Nothing is thrown: what goes wrong is told on standard error.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  const words = argv[0] === "help" ? [...argv.slice(1, 2), "--help"] : [...argv];
  const chosen = words[0] ?? "";
  let status: number = EXIT.ok;
  try {
    const program = rootProgram(context);
    for (const [name, entry] of Object.entries(COMMANDS)) {
      const sub = program.command(name).summary(entry.summary).description(entry.summary);
      if (name !== chosen) continue;
      const { command } = await entry.load();
      describe(sub, command, called(context));
      const given = command.oneDash ? fromOneDash(words, command.options) : words;
      words.splice(0, words.length, ...withValues(given, command));
      sub.action(async () => {
        const values = resolveValues(command.options, sub.opts<Given>(), (variable) => context.env(variable));
        // The values were made from this command's own table, which `never` cannot express.
        status = await command.run(values as never, context, sub.args);
      });
    }
    await program.parseAsync(words, { from: "user" });
    return status;
  } catch (thrown) {
    return report(thrown, { context, chosen });
  }
}

/** Puts the name by which the program was called into commands within a text. */
function called({ program }: CliContext): (text: string) => string {
  return (text) => text.replace(/\bchancery (?=[a-zA-Z])/g, `${program} `);
}

function rootProgram(context: CliContext): Commander {
  const program = new Commander(context.program)
    .description("The Envoy control plane")
    .version(`chancery ${VERSION} (Envoy API ${ENVOY_API})`, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .usage("COMMAND [options]")
    .addHelpText("after", `\nHelp of a command: ${context.program} COMMAND --help\n${EXIT_HELP}\n`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.out(text),
      writeErr: (text) => context.err(text),
      getOutHasColors: () => context.color.out,
      getErrHasColors: () => context.color.err,
      outputError: (text, write) => write(text.replaceAll("'", '"')),
    });
  program.configureHelp({
    styleTitle: (text) => `\x1b[1m${text}\x1b[0m`,
    styleCommandText: (text) => `\x1b[36m${text}\x1b[0m`,
    styleSubcommandText: (text) => `\x1b[36m${text}\x1b[0m`,
    styleOptionText: (text) => `\x1b[36m${text}\x1b[0m`,
    // Only the words that are typed: commander would add "[options] [command]" to each.
    subcommandTerm: (command) => command.name(),
    optionTerm: (option) => Help.prototype.optionTerm(option),
  });
  return program.showHelpAfterError(`Try: ${context.program} --help`);
}

/** Turns a table into what commander parses and prints. */
function describe(sub: Commander, command: AnyCommand, named: (text: string) => string): void {
  sub.description(named([command.summary, command.description].filter(Boolean).join("\n\n")))
    .usage(["[options]", ...(command.arguments ?? []).map(argumentTerm)].join(" "))
    .showHelpAfterError(named(`Try: chancery ${sub.name()} --help`))
    .allowExcessArguments(false);
  for (const { name: word, help, repeated, optional } of command.arguments ?? []) {
    const term = repeated ? `${word}...` : word;
    sub.argument(optional ? `[${term}]` : `<${term}>`, help);
  }
  for (const [option, spec] of Object.entries(command.options)) {
    const term = optionTerm(option, spec);
    const made = new Option(
      spec.bare === undefined ? term : term.replace(/\[=(.*)\]$/, " $1"),
      optionHelp(option, spec),
    );
    made.flags = term; // what help and messages show
    made.negate = false; // of --no-wait commander would make a "wait" that no table has
    if (spec.list) made.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
    sub.addOption(made);
  }
  const examples = command.examples.map(({ run, does }) => `  ${named(run)}\n      ${named(does)}`).join("\n");
  sub.addHelpText("after", `\nExamples:\n${examples}\n\n${EXIT_HELP}\n`);
}

/** An option that may go without a value gets the one it then has: commander would take the next word for it. */
function withValues(words: readonly string[], command: AnyCommand): string[] {
  const bare = new Map(Object.entries(command.options).map(([name, { bare }]) => [flagOf(name), bare]));
  const end = words.indexOf("--");
  return words.map((word, index) => {
    const value = end >= 0 && index > end ? undefined : bare.get(word);
    return value === undefined ? word : `${word}=${value}`;
  });
}

/** `FILE`, `PATH...`, `[NAME...]`. */
export function argumentTerm({ name, repeated, optional }: ArgumentSpec): string {
  const term = repeated ? `${name.toUpperCase()}...` : name.toUpperCase();
  return optional ? `[${term}]` : term;
}

function report(thrown: unknown, { context, chosen }: { context: CliContext; chosen: string }): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage; // told by commander already
  return reportError(thrown, { context, chosen });
}
