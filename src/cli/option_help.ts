import { flagOf, type OptionSpec, variablesOf } from "./option.ts";

const PLACEHOLDERS: Readonly<Record<OptionSpec["type"], string>> = {
  flag: "",
  text: "TEXT",
  path: "PATH",
  integer: "N",
  duration: "TIME",
  address: "ADDRESS",
  listen: "ADDRESS",
  bind: "ADDRESS",
  choice: "WORD",
};

/** `-f, --format <WORD>`. */
export function optionTerm(name: string, spec: OptionSpec): string {
  const value = valueName(spec);
  const term = `${spec.short ? `-${spec.short}, ` : ""}${flagOf(name)}`;
  if (spec.bare !== undefined) return `${term}[=<${value}>]`;
  return value ? `${term} <${value}>` : term;
}

/** What stands for the value; empty for a flag. */
function valueName(spec: OptionSpec): string {
  if (spec.type === "choice" && spec.choices && !spec.value) return spec.choices.join("|");
  return spec.value ?? PLACEHOLDERS[spec.type];
}

/** The help sentence with what the table says besides. */
export function optionHelp(name: string, spec: OptionSpec): string {
  const notes = [
    ...(spec.required ? ["required"] : []),
    ...(spec.default === undefined ? [] : [`default ${spec.default}`]),
    ...(spec.list ? ["may be repeated"] : []),
  ];
  const variables = variablesOf(name, spec);
  if (variables.length > 0) notes.push(variables.join(" or "));
  return notes.length > 0 ? `${spec.help} [${notes.join("; ")}]` : spec.help;
}
