/**
 * The command line: option tables, help, completion, exit status.
 * @module
 */
export { calledAs } from "./called_as.ts";
export type { AnyCommand, CliContext, Command } from "./command.ts";
export { COMMANDS } from "./commands.ts";
export { EXIT } from "./exit_code.ts";
export { variablesOf } from "./option.ts";
export { optionTerm } from "./option_help.ts";
export { argumentTerm, runCli } from "./program.ts";
export { terminalContext } from "./terminal.ts";
export { ENVOY_API, VERSION } from "./version.ts";
