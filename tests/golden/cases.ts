/**
 * Cases as folders: `testdata/<case>/in.yaml` goes in, `out.yaml` has to come out. `UPDATE_GOLDEN=1` writes what came out instead;
 * read the difference as carefully as code.
 * @module
 */
import { expect } from "expect";
import { parseYaml, stringifyYaml } from "../../src/base/yaml/mod.ts";

/** Declares one test per folder below `directory`. `run` gets the only document of `in.yaml`. */
export function testCases(
  directory: URL,
  options: { name: string; run: (input: Record<string, unknown>) => unknown | Promise<unknown> },
): void {
  const cases = [...Deno.readDirSync(directory)].filter((entry) => entry.isDirectory).map((entry) => entry.name).sort();
  if (cases.length === 0) throw new Error(`Cannot find a case in "${directory.pathname}"`);
  for (const name of cases) {
    Deno.test(caseTitle(options.name, name), async () => {
      const input = readCase(new URL(`${name}/in.yaml`, `${directory}/`));
      const output = stringifyYaml(await options.run(input));
      const file = new URL(`${name}/out.yaml`, `${directory}/`);
      if (Deno.env.get("UPDATE_GOLDEN") === "1") Deno.writeTextFileSync(file, output);
      else expect(output).toBe(Deno.readTextFileSync(file));
    });
  }
}

/** The title of a case: the numbers that its folder begins with come first, `C3, C4: planEnvoyDeployment(): the port is known`. */
export function caseTitle(about: string, folder: string): string {
  const [numbers = ""] = /^([A-Z]\d+_)+/.exec(folder) ?? [];
  const words = `${about}: ${folder.slice(numbers.length).replaceAll("_", " ")}`;
  return numbers === "" ? words : `${numbers.slice(0, -1).replaceAll("_", ", ")}: ${words}`;
}

function readCase(file: URL): Record<string, unknown> {
  const { documents, findings } = parseYaml(Deno.readTextFileSync(file), file.pathname);
  const value = documents[0]?.value;
  if (findings.length > 0 || documents.length !== 1 || typeof value !== "object" || value === null) {
    throw new Error(`Cannot read case "${file.pathname}": ${findings[0]?.message ?? "one object is wanted"}`);
  }
  return value as Record<string, unknown>; // an object, just checked
}
