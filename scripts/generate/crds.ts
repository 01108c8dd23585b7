import { crdOf } from "../../src/api/mod.ts";
import { KINDS } from "../../src/api/kinds/mod.ts";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";

/** `manifests/crd/`: one CustomResourceDefinition per kind, under the name that controller tools give it. */
export function crdFiles(): ReadonlyMap<string, string> {
  return new Map(KINDS.map((kind) => [
    `manifests/crd/${kind.group}_${kind.plural}.yaml`,
    `# Written by deno task generate from src/api/.\n${stringifyYaml(crdOf(kind))}`,
  ]));
}
