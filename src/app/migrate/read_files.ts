import { ChanceryError, formatFinding } from "../../base/mod.ts";
import { parseYaml } from "../../base/yaml/mod.ts";
import type { KubeObject } from "../../install/mod.ts";
import { Inventory } from "../../migrate/mod.ts";
import { readInputs } from "../validate/mod.ts";

/**
 * The objects of files and directories: manifests, or what `kubectl get -A -o yaml` prints.
 * @throws {ChanceryError} `invalid-input` for what cannot be read, since half of it would give a wrong answer
 */
export async function readFiles(paths: readonly string[]): Promise<Inventory> {
  const objects: KubeObject[] = [];
  for (const { name, text, problem } of await readInputs(paths)) {
    if (text === undefined) throw new ChanceryError("invalid-input", `Cannot read ${JSON.stringify(name)}: ${problem}`);
    const { documents, findings } = parseYaml(text, name);
    const broken = findings.find(({ severity }) => severity === "error");
    if (broken) throw new ChanceryError("invalid-input", `Cannot read ${formatFinding(broken)}`);
    for (const { value } of documents) objects.push(...itemsOf(value).filter(isObject));
  }
  return new Inventory(objects);
}

/** The items of a List, or what is no list alone. */
function itemsOf(value: unknown): readonly unknown[] {
  const { items } = (value ?? {}) as { items?: unknown };
  return Array.isArray(items) ? items : [value];
}

function isObject(value: unknown): value is KubeObject {
  if (typeof value !== "object" || value === null) return false;
  const { apiVersion, kind, metadata } = value as Partial<KubeObject>;
  return typeof apiVersion === "string" && typeof kind === "string" && typeof metadata?.name === "string";
}
