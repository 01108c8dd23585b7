import { isRecord, type JsonRecord, setMember } from "../core/json.ts";
import type { FieldSet, ManagedFields } from "../store.ts";

/**
 * The entries with those of former managers (written by update, not to a subresource) joined into what `fieldManager` has
 * applied, as if it had stated all of it; `undefined` when there are none. What it does not state next time goes then.
 */
export function migratedFields(
  entries: readonly ManagedFields[],
  { formerManagers, fieldManager }: { readonly formerManagers: readonly string[]; readonly fieldManager: string },
): ManagedFields[] | undefined {
  const isFormer = ({ manager, operation, subresource }: ManagedFields) =>
    operation === "Update" && !subresource && formerManagers.includes(manager);
  const former = entries.filter(isFormer);
  if (former.length === 0) return undefined;
  const isOurs = ({ manager, operation, subresource }: ManagedFields) =>
    operation === "Apply" && !subresource && manager === fieldManager;
  const ours = entries.find(isOurs);
  const sets = [...(ours ? [ours] : []), ...former].map(({ fieldsV1 }) => fieldsV1);
  const joined: ManagedFields = {
    ...(ours ?? former[0]!), // there is one
    manager: fieldManager,
    operation: "Apply",
    fieldsV1: sets.reduce(union),
  };
  return [...entries.filter((entry) => !isFormer(entry) && !isOurs(entry)), joined];
}

function union(one: FieldSet, other: FieldSet): FieldSet {
  const out: JsonRecord = { ...one };
  for (const [key, below] of Object.entries(other)) {
    const here = Object.hasOwn(out, key) ? out[key] : undefined;
    setMember(out, key, isRecord(here) ? union(here as FieldSet, below) : below);
  }
  return out as FieldSet; // made of two
}
