import { ChanceryError, suggest } from "../base/mod.ts";
import { parseAddress } from "../bootstrap/address/mod.ts";
import { parseDuration } from "./duration.ts";
import { UsageError } from "./exit_code.ts";
import { envOf, flagOf, type OptionSpec, type OptionTable, type ValuesOf, variablesOf } from "./option.ts";

/** What was typed: text, several texts, or `true` for a flag. */
export type Given = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

/**
 * The values of all options: the command line wins over the environment, the environment over the default. An empty variable
 * counts as unset. Throws {@linkcode UsageError} that names every mistake at once.
 */
export function resolveValues<T extends OptionTable>(
  table: T,
  given: Given,
  env: (name: string) => string | undefined,
): ValuesOf<T> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(table)) {
    const typed = given[name];
    const variable = typed === undefined ? variablesOf(name, spec).find((one) => env(one)) : undefined;
    const source = variable ?? flagOf(name);
    const raw = typed ?? (variable && env(variable)) ?? spec.default;
    if (raw === undefined) {
      if (spec.required) problems.push(`${flagOf(name)} (or ${envOf(name, spec)}) is required`);
      values[name] = spec.type === "flag" ? false : spec.list ? [] : undefined;
      continue;
    }
    try {
      values[name] = readValue(spec, raw);
    } catch (thrown) {
      if (!(thrown instanceof ChanceryError)) throw thrown;
      problems.push(`${source}: ${thrown.message}`);
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return values as ValuesOf<T>; // built from the same table, row by row
}

function readValue(spec: OptionSpec, raw: string | readonly string[] | boolean): unknown {
  if (typeof raw === "boolean") return raw;
  if (!spec.list) return readOne(spec, typeof raw === "string" ? raw : raw.at(-1) ?? "");
  const texts = typeof raw === "string" ? [raw] : raw;
  return texts.flatMap((text) => spec.whole ? [text] : text.split(",")).map((text) => readOne(spec, text.trim()));
}

function readOne(spec: OptionSpec, text: string): unknown {
  const shown = JSON.stringify(text);
  switch (spec.type) {
    case "flag":
      if (/^(1|true|yes|on)$/i.test(text)) return true;
      if (/^(0|false|no|off)$/i.test(text)) return false;
      throw new UsageError(`${shown} is neither true nor false`);
    case "integer":
      if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${shown} is not a whole number`);
      return Number(text);
    case "duration": {
      const ms = parseDuration(text);
      if (ms === undefined) throw new UsageError(`${shown} is not a duration such as 500ms, 60s or 1h30m`);
      return ms;
    }
    case "address":
    case "listen":
      return parseAddress(text, { anyPort: spec.type === "listen" });
    case "bind":
      return text === "0" ? undefined : parseAddress(text, { anyPort: true, anyHost: true });
    case "choice": {
      const choices = spec.choices ?? [];
      if (choices.includes(text)) return text;
      const near = suggest(text, choices);
      const hint = near === undefined ? "" : `, did you mean "${near}"?`;
      throw new UsageError(`${shown} is none of ${choices.join(", ")}${hint}`);
    }
    case "text":
    case "path":
      if (text === "") throw new UsageError("the value is empty");
      return text;
  }
}
