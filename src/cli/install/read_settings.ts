import { parseYaml } from "../../base/yaml/mod.ts";
import { suggest } from "../../base/mod.ts";
import {
  type Setting,
  type SettingName,
  SETTINGS,
  type SettingType,
  type SettingValues,
} from "../../install/settings/mod.ts";
import { UsageError } from "../exit_code.ts";

/**
 * What `--set NAME=VALUE` says, each as often as it is given; the last one counts. Lists are separated by commas, mappings are JSON
 * or YAML on one line.
 * @throws {UsageError} that names every mistake
 */
export function readSettings(given: readonly string[]): SettingValues {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const text of given) {
    const at = text.indexOf("=");
    const name = at < 0 ? text : text.slice(0, at);
    if (!isSetting(name)) {
      problems.push(`--set ${JSON.stringify(name)} is no setting${hint(name)}`);
    } else if (at < 0) problems.push(`--set ${name} has no value: ${name}=…`);
    else {
      const read = READERS[SETTINGS[name].type](text.slice(at + 1), SETTINGS[name]);
      if ("problem" in read) problems.push(`--set ${name}: ${JSON.stringify(text.slice(at + 1))} ${read.problem}`);
      else values[name] = read.value;
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return values;
}

type Read = { readonly value: unknown } | { readonly problem: string };

const READERS: Readonly<Record<SettingType, (text: string, setting: Setting) => Read>> = {
  text: (text, { choices }) =>
    choices && !choices.includes(text) ? { problem: `is none of ${choices.join(", ")}` } : { value: text },
  count: (text) => /^\d{1,4}$/.test(text) ? { value: Number(text) } : { problem: "is no number of pods" },
  switch: (text) => /^(true|false)$/.test(text) ? { value: text === "true" } : { problem: "is neither true nor false" },
  texts: (text) => ({ value: text.split(",").map((part) => part.trim()).filter((part) => part !== "") }),
  mapping: (text) => readYaml(text, isMapping, "is no mapping in JSON or YAML"),
  mappings: (text) =>
    readYaml(text, (value) => Array.isArray(value) && value.every(isMapping), "is no list of mappings in JSON or YAML"),
};

function readYaml(text: string, fits: (value: unknown) => boolean, problem: string): Read {
  const { documents, findings } = parseYaml(text, "--set");
  const value = documents[0]?.value;
  return findings.length === 0 && documents.length === 1 && fits(value) ? { value } : { problem };
}

function isMapping(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function hint(name: string): string {
  const near = suggest(name, Object.keys(SETTINGS));
  return near === undefined ? `; there are ${Object.keys(SETTINGS).join(", ")}` : `, did you mean ${near}?`;
}
