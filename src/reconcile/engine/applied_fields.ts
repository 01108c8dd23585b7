import type { FieldSet, ManagedFields } from "../../store/mod.ts";
import type { WatchedObject } from "./object_source.ts";

/** The fields of an object that somebody has applied; `undefined` when there are none, or where they are not kept. */
export function appliedFields(
  { metadata }: WatchedObject,
  { fieldManager }: { readonly fieldManager: string },
): FieldSet | undefined {
  const { managedFields = [] } = metadata as { managedFields?: readonly ManagedFields[] }; // kept where this is asked
  return managedFields.find(({ manager, operation, subresource }) =>
    manager === fieldManager && operation === "Apply" && !subresource
  )?.fieldsV1;
}
