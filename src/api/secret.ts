import Type, { type Static } from "typebox";
import type { Frozen } from "./frozen.ts";
import { ObjectMeta } from "./metadata.ts";

/** A Kubernetes Secret as far as we read it. `writeOnly` keeps the values out of every finding (W1). */
export const Secret = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  metadata: ObjectMeta,
  type: Type.Optional(Type.String({ description: "Opaque when unset" })),
  immutable: Type.Optional(Type.Boolean()),
  data: Type.Optional(Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string", writeOnly: true },
    description: "Values in base64",
  })),
  stringData: Type.Optional(Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string", writeOnly: true },
    description: "Values as text; goes before data",
  })),
}, { additionalProperties: true });
export type Secret = Frozen<Static<typeof Secret>>;

/**
 * The bytes under one key of a Secret, `stringData` before `data` as the API server has it; `undefined` when there are none
 * or they are no base64. An empty value counts as none.
 */
export function secretBytes(secret: Secret, key: string): Uint8Array | undefined {
  const text = own(secret.stringData, key);
  if (typeof text === "string") return text === "" ? undefined : new TextEncoder().encode(text);
  const encoded = own(secret.data, key);
  if (!encoded) return undefined; // null, too: an API server has it so
  try {
    return Uint8Array.fromBase64(encoded);
  } catch {
    return undefined; // the error text would quote the value
  }
}

/** The keys of a Secret, sorted. */
export function secretKeys(secret: Secret): string[] {
  return [...new Set([...Object.keys(secret.data ?? {}), ...Object.keys(secret.stringData ?? {})])].sort();
}

function own(map: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}
