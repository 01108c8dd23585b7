import type { OpenFinding } from "../../telemetry/mod.ts";

/** What there is to say about a store that cannot be written. Traffic goes on from memory; a restart would lose what is new. */
export function storeFindings(trouble: string | undefined, data: string): readonly OpenFinding[] {
  if (trouble === undefined) return [];
  return [{ about: data, finding: { severity: "error", path: [], rule: "store", message: trouble } }];
}
