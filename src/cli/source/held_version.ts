import type { ConfigDocument } from "../../app/documents/mod.ts";

/** The version that a pin holds; `undefined` while none does. */
export function heldVersion({ status: { pin, conditions = [] } }: Pick<ConfigDocument, "status">): string | undefined {
  const holds = conditions.some(({ type, status }) => type === "Pinned" && status === "True");
  return holds ? pin?.value.split("@")[0] : undefined;
}
