import { expect } from "expect";
import { installedObjects } from "./installed_objects.ts";
import { installOptions } from "./settings/mod.ts";
import { installStages, removalOf } from "./stages.ts";

const OBJECTS = installedObjects(installOptions());

function kinds(objects: readonly { readonly kind: string }[]): string[] {
  return [...new Set(objects.map(({ kind }) => kind))];
}

Deno.test("installStages() begins with kinds and ends with what has the API server ask", () => {
  const stages = installStages(OBJECTS);
  expect(stages.length).toBe(3);
  expect(kinds(stages[0]!)).toEqual(["CustomResourceDefinition"]);
  expect(stages[1]![0]!.kind).toBe("Namespace");
  expect(kinds(stages[2]!).sort()).toEqual(["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);
  expect(stages.flat().length).toBe(Object.values(OBJECTS).flat().length);
});

Deno.test("removalOf() keeps kinds, keys and what discovery services need, unless kinds are to go", () => {
  const { removed, kept } = removalOf(OBJECTS, { deleteCrds: false });
  expect(kinds(kept).sort()).toEqual(["ClusterRole", "CustomResourceDefinition", "Namespace"]);
  // Nobody is asked any more before nobody answers.
  expect(removed[0]!.kind).toBe("ValidatingWebhookConfiguration");
  expect(kinds(removed)).not.toContain("Namespace");
  const everything = removalOf(OBJECTS, { deleteCrds: true });
  expect(everything.kept).toEqual([]);
  expect(everything.removed.at(-1)!.kind).toBe("Namespace");
  expect(everything.removed.length).toBe(removed.length + kept.length);
});
