import { type AnyCommand, argumentTerm, COMMANDS, optionTerm, variablesOf } from "../../src/cli/mod.ts";

const README = new URL("../../README.md", import.meta.url);
const START = "<!-- options -->";
const END = "<!-- /options -->";

/** `README.md` with the option tables of all commands between its two marks, each to be opened by whoever looks for it. */
export async function readmeOptions(): Promise<ReadonlyMap<string, string>> {
  const readme = await Deno.readTextFile(README);
  const [before, rest] = readme.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`Cannot find "${START}" and "${END}" in README.md`);
  let tables = "";
  for (const [name, { load }] of Object.entries(COMMANDS)) tables += tableOf(name, (await load()).command);
  // The formatter would align the columns.
  const block = `<!-- deno-fmt-ignore-start -->\n\n${tables}<!-- deno-fmt-ignore-end -->`;
  return new Map([["README.md", `${before}${START}\n\n${block}\n\n${END}${after}`]]);
}

function tableOf(name: string, command: AnyCommand): string {
  const rows = Object.entries(command.options).map(([option, spec]) => {
    const term = `\`${optionTerm(option, spec)}\``.replaceAll("|", "\\|");
    const fallback = spec.required ? "required" : spec.default === undefined ? "" : `\`${spec.default}\``;
    const env = variablesOf(option, spec).map((variable) => `\`${variable}\``).join(", ");
    return `| ${term} | ${spec.help} | ${fallback} | ${env} |\n`;
  });
  if (rows.length === 0) return "";
  const words = (command.arguments ?? []).map((word) => ` ${argumentTerm(word)}`).join("");
  const title = `<code>chancery ${name}${words}</code>: ${command.summary.toLowerCase().slice(0, 1)}${
    command.summary.slice(1)
  }`;
  return `<details><summary>${title}</summary>\n\n` +
    `| option | | default | environment |\n| --- | --- | --- | --- |\n${rows.join("")}\n</details>\n\n`;
}
