import type { AnyCommand, ArgumentSpec } from "./command.ts";
import { flagOf, type OptionSpec } from "./option.ts";

/** Shells that completions exist for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** What a completion is made of: a subcommand's name and its table. */
export type Completable = Pick<AnyCommand, "summary" | "options" | "arguments"> & { readonly name: string };

/** The completion script of a shell, from the same tables as the parser. */
export function completionScript(shell: typeof SHELLS[number], commands: readonly Completable[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

function bashScript(commands: readonly Completable[]): string {
  const cases = commands.map(({ name, options, arguments: words = [] }) => {
    const flags = [...Object.keys(options).map(flagOf), "--help"].join(" ");
    const values = Object.entries(options).filter(([, spec]) => spec.type !== "flag" && spec.bare === undefined).map((
      [option, spec],
    ) => `        ${flagOf(option)}) COMPREPLY=(${bashValues(spec)}); return ;;`);
    const choices = words.map((word) => offeredFor(word, (line) => `$(${line})`)).filter(Boolean).join(" ");
    return [
      `    ${name})`,
      '      case "$previous" in',
      ...values,
      "      esac",
      `      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "${flags}" -- "$word"))`,
      choices
        ? `      else COMPREPLY=($(compgen -W "${choices}" -- "$word")); fi ;;`
        : '      else COMPREPLY=($(compgen -f -- "$word")); fi ;;',
    ].join("\n");
  });
  const names = [...commands.map((command) => command.name), "help", "--help", "--version"].join(" ");
  return [
    "# bash completion of chancery; made by: chancery completion bash",
    "_chancery() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
    `  if [[ $COMP_CWORD -eq 1 ]]; then COMPREPLY=($(compgen -W "${names}" -- "$word")); return; fi`,
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    help) COMPREPLY=($(compgen -W "${commands.map((command) => command.name).join(" ")}" -- "$word")) ;;`,
    "  esac",
    "}",
    "complete -o filenames -F _chancery chancery",
    "",
  ].join("\n");
}

/** Words that an argument may be; a shell runs the command line that lists them, silently where nobody answers. */
function offeredFor({ choices, words = [], listedBy }: ArgumentSpec, run: (commandLine: string) => string): string {
  return [...choices ?? [...words, ...(listedBy ? [run(`${listedBy} 2>/dev/null`)] : [])]].join(" ");
}

function bashValues(spec: OptionSpec): string {
  if (spec.choices) return `$(compgen -W "${spec.choices.join(" ")}" -- "$word")`;
  return spec.type === "path" ? '$(compgen -f -- "$word")' : "";
}

function zshScript(commands: readonly Completable[]): string {
  const cases = commands.flatMap(({ name, options, arguments: words = [] }) => [
    `    ${name}) _arguments -S -s \\`,
    ...Object.entries(options).map(([option, spec]) => `      ${zshOption(option, spec)} \\`),
    "      '(-h --help)'{-h,--help}'[print this help]' \\",
    words[0]?.listedBy
      ? `      '${words[0].repeated ? "*" : "1"}:${words[0].name}:(${offeredFor(words[0], (line) => `$(${line})`)})' ;;`
      : words[0]?.repeated
      ? `      '*:${words[0].name}:_files' ;;`
      : words[0]?.choices
      ? `      '1:${words[0].name}:(${words[0].choices.join(" ")})' ;;`
      : words[0]
      ? `      '1:${words[0].name}:_files' ;;`
      : "      && return ;;",
  ]);
  return [
    "#compdef chancery",
    "# zsh completion of chancery; made by: chancery completion zsh",
    "_chancery() {",
    "  local -a commands=(",
    ...commands.map(({ name, summary }) => `    ${zshQuote(`${name}:${summary}`)}`),
    "  )",
    "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
    '  local command="${words[2]}"',
    "  shift words; (( CURRENT-- ))",
    '  case "$command" in',
    ...cases,
    "  esac",
    "}",
    'if [ "$funcstack[1]" = "_chancery" ]; then _chancery "$@"; else compdef _chancery chancery; fi',
    "",
  ].join("\n");
}

function zshOption(name: string, spec: OptionSpec): string {
  const help = spec.help.replace(/[[\]]/g, "\\$&");
  const repeat = spec.list ? "*" : "";
  if (spec.type === "flag") return zshQuote(`${flagOf(name)}[${help}]`);
  const action = spec.choices ? `(${spec.choices.join(" ")})` : spec.type === "path" ? "_files" : " ";
  const value = spec.bare === undefined ? `=[${help}]:` : `=-[${help}]::`; // only after "=", or not at all
  return zshQuote(`${repeat}${flagOf(name)}${value}${name}:${action}`);
}

function zshQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishScript(commands: readonly Completable[]): string {
  const lines = [
    "# fish completion of chancery; made by: chancery completion fish",
    "complete -c chancery -f",
    "complete -c chancery -n __fish_use_subcommand -s V -l version -d 'print the version'",
    "complete -c chancery -s h -l help -d 'print this help'",
  ];
  for (const { name, summary, options, arguments: words = [] } of commands) {
    const chosen = `-n '__fish_seen_subcommand_from ${name}'`;
    lines.push(`complete -c chancery -n __fish_use_subcommand -a ${name} -d ${fishQuote(summary)}`);
    for (const [option, spec] of Object.entries(options)) {
      const value = spec.type === "flag" || spec.bare !== undefined
        ? ""
        : spec.choices
        ? ` -x -a ${fishQuote(spec.choices.join(" "))}`
        : spec.type === "path"
        ? " -r -F"
        : " -x";
      lines.push(`complete -c chancery ${chosen} -l ${flagOf(option).slice(2)}${value} -d ${fishQuote(spec.help)}`);
    }
    for (const word of words) {
      const offered = offeredFor(word, (line) => `(${line})`);
      lines.push(`complete -c chancery ${chosen} ${offered ? `-a ${fishQuote(offered)}` : "-F"}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
