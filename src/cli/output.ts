import type { OptionSpec } from "./option.ts";

/** The row of an option `-o` that takes these words; without it there is a text for people. */
export function outputOption<const C extends readonly string[]>(choices: C) {
  return {
    type: "choice",
    choices,
    default: "text",
    short: "o",
    help: "Form of the answer; manifests/schemas describes json and yaml",
    env: false,
  } as const satisfies OptionSpec;
}

/** A document in one of the forms for machines. */
export async function documentText(document: unknown, form: "json" | "yaml"): Promise<string> {
  if (form === "json") return `${JSON.stringify(document, null, 2)}\n`;
  const { stringifyYaml } = await import("../base/yaml/mod.ts");
  return stringifyYaml(document);
}
