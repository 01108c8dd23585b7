import type { TSchema } from "typebox";

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: "string" | "boolean" | "integer" | "date";
  readonly format?: "date-time";
  /** 1: only with `-o wide`. */
  readonly priority?: 1;
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
  /** Where the subresource `scale` finds what it needs, for kinds that have it. */
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector: string };
  readonly spec: TSchema;
  readonly status: TSchema;
}
