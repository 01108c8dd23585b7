/** How one field of a spec is tried out. */
export interface FieldCase {
  /** What it becomes. */
  readonly to: unknown;
  /** What else the spec says all the time, in place of the same fields of the common one; `undefined` takes one away. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** What the condition `Reconciled` says meanwhile; `AsWanted` when absent. */
  readonly reason?: string;
  /** Whether its pods become ready, for which there is no kubelet. */
  readonly pods?: "ready";
  /** What stays by intent when the field is as before, and goes by hand: `services/NAME`. */
  readonly leaves?: readonly string[];
}

/** A case for each field of a kind, by its path. */
export type FieldTable = Readonly<Record<string, FieldCase>>;

type Spec = Readonly<Record<string, unknown>>;

/** The specs of a case: without the field, or as it was, and with what it becomes. */
export function specsOf(common: Spec, field: string, { given = {}, to }: FieldCase): { before: Spec; after: Spec } {
  const before = { ...common, ...given };
  return { before, after: changed(before, field.split("."), to) };
}

/** A name for an object that a field is tried out with. */
export function nameOf(field: string): string {
  return field.replaceAll("[]", "").replaceAll(".", "-").toLowerCase();
}

function changed(spec: Spec, [step = "", ...rest]: readonly string[], to: unknown): Spec {
  if (rest.length === 0) return { ...spec, [step]: to };
  if (!step.endsWith("[]")) return { ...spec, [step]: changed((spec[step] ?? {}) as Spec, rest, to) };
  const name = step.slice(0, -2);
  const [first = {}, ...others] = (spec[name] ?? []) as readonly Spec[]; // a list, by its name
  return { ...spec, [name]: [changed(first, rest, to), ...others] };
}
