import type { TSchema } from "typebox";

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: "string" | "boolean" | "integer";
  readonly format?: "date-time";
}

/** One of our kinds: everything its CRD, its check and its reference page are made from. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly printerColumns: readonly PrinterColumn[];
  readonly spec: TSchema;
  readonly status: TSchema;
}
