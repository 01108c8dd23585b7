import type { Check } from "./verdict.ts";

/**
 * The look at contents. Loads what Envoy's words need when it is called first, so that a loader that changes nothing stays small; Deno
 * reads what stands behind a literal path before it begins.
 */
export async function loadCheck({ allowEmpty }: { readonly allowEmpty: boolean }): Promise<Check> {
  const { checkFile } = await import("./check/mod.ts" as string) as typeof import("./check/mod.ts");
  return (path, bytes) => checkFile(path, bytes, { allowEmpty });
}
