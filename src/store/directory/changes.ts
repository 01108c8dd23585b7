import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { Operation } from "../embedded_store.ts";
import type { Plan, Provenance } from "./plan.ts";

/** The name under which the directory is known as a field manager. */
export const FIELD_MANAGER = "directory";
const KEPT_PREFIX = "directory/";

/** Steps that belong together: they are done in one transaction, or object by object when that fails. */
export interface Change {
  readonly key: ObjectKey;
  readonly kind: "apply" | "remove" | "note";
  readonly operations: readonly Operation[];
}

/** What {@linkcode changesFor} looks at. */
export interface ChangeInput {
  readonly plan: Plan;
  readonly provenance: Provenance;
  /** Objects (by `formatKey`) that must not be stored: they keep their last good content. */
  readonly refused: ReadonlySet<string>;
  /** Objects that the store holds already just as they are claimed. */
  readonly current: ReadonlySet<string>;
}

/** The difference between what the directory wants and what the store has. Provenance is part of the same steps. */
export function changesFor({ plan, provenance, refused, current }: ChangeInput): Change[] {
  const changes: Change[] = [];
  for (const { key, file, object } of plan.claims) {
    const id = formatKey(key);
    const origin = provenance.get(id);
    const note: Operation[] = origin?.file === file ? [] : [keepOrigin(key, file)];
    if (refused.has(id)) {
      // an object that was never stored has no origin either
      if (origin && note.length > 0) changes.push({ key, kind: "note", operations: note });
    } else if (!current.has(id)) {
      const apply: Operation = { apply: object, options: { fieldManager: FIELD_MANAGER, force: true } };
      changes.push({ key, kind: "apply", operations: [apply, ...note] });
    } else if (note.length > 0) {
      changes.push({ key, kind: "note", operations: note });
    }
  }
  for (const key of plan.removals) {
    changes.push({ key, kind: "remove", operations: [{ remove: key }, { forget: KEPT_PREFIX + formatKey(key) }] });
  }
  return changes;
}

function keepOrigin(key: ObjectKey, file: string): Operation {
  return { keep: KEPT_PREFIX + formatKey(key), data: new TextEncoder().encode(file) };
}

/** What is needed to read provenance back. */
export interface KeptBytes {
  keptNames(prefix: string): Promise<string[]>;
  kept(name: string): Promise<Uint8Array | undefined>;
}

/** The provenance that earlier runs kept. */
export async function loadProvenance(store: KeptBytes): Promise<Map<string, { key: ObjectKey; file: string }>> {
  const out = new Map<string, { key: ObjectKey; file: string }>();
  for (const name of await store.keptNames(KEPT_PREFIX)) {
    const id = name.slice(KEPT_PREFIX.length);
    const [kind = "", namespace = "", objectName = ""] = id.split("/");
    const file = new TextDecoder().decode(await store.kept(name));
    out.set(id, { key: { kind, namespace, name: objectName }, file });
  }
  return out;
}
