import type { KubeObject } from "../../src/install/mod.ts";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";

/** The first line of a file that nobody edits. */
export const GENERATED = "# Written by deno task generate from src/install/.\n";

/** A file of objects. */
export function manifest(objects: readonly KubeObject[], head: string = GENERATED): string {
  return `${head}${objects.map((object) => stringifyYaml(object)).join("---\n")}`;
}

/** A `kustomization.yaml`. */
export function kustomization(body: Readonly<Record<string, unknown>>, head: string = GENERATED): string {
  return `${head}${stringifyYaml({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", ...body })}`;
}
