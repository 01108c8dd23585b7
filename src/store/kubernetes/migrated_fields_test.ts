import { expect } from "expect";
import type { FieldSet, ManagedFields } from "../store.ts";
import { migratedFields } from "./migrated_fields.ts";

function entry(
  manager: string,
  operation: "Apply" | "Update",
  fieldsV1: FieldSet,
  subresource?: string,
): ManagedFields {
  const common = { manager, operation, apiVersion: "v1", fieldsType: "FieldsV1" as const, fieldsV1 };
  return subresource === undefined ? common : { ...common, subresource };
}

const OPTIONS = { formerManagers: ["manager"], fieldManager: "chancery" };

Deno.test("what former managers wrote by update is joined with what we applied", () => {
  const kubectl = entry("kubectl", "Update", { "f:data": { "f:theirs": {} } });
  const status = entry("manager", "Update", { "f:status": { "f:ready": {} } }, "status");
  const entries = [
    entry("manager", "Update", {
      "f:spec": { "f:old": {}, "f:both": { "f:a": {} } },
      "f:metadata": { "f:labels": {} },
    }),
    kubectl,
    status,
    entry("chancery", "Apply", { "f:spec": { "f:new": {}, "f:both": { "f:b": {} } } }),
  ];
  expect(migratedFields(entries, OPTIONS)).toEqual([
    kubectl,
    status,
    entry("chancery", "Apply", {
      "f:spec": { "f:new": {}, "f:both": { "f:b": {}, "f:a": {} }, "f:old": {} },
      "f:metadata": { "f:labels": {} },
    }),
  ]);
});

Deno.test("without an entry of ours that of the former manager becomes ours", () => {
  const fields = { "f:spec": { "f:old": {} } };
  expect(migratedFields([entry("manager", "Update", fields)], OPTIONS)).toEqual([entry("chancery", "Apply", fields)]);
});

Deno.test("nothing is to be done where no former manager wrote", () => {
  const entries = [
    entry("manager", "Apply", {}),
    entry("kubectl", "Update", {}),
    entry("manager", "Update", {}, "status"),
  ];
  expect(migratedFields(entries, OPTIONS)).toBeUndefined();
});
