import type { BuiltItem, MissingSource } from "../../snapshot/mod.ts";
import type { UnknownResource } from "../documents/mod.ts";

/** What a build could not make, or made without all that it needs; `whyOf` may know more than that something is missing. */
export function unknownResources(
  { built, missing }: { readonly built: readonly BuiltItem[]; readonly missing: readonly MissingSource[] },
  whyOf: (item: BuiltItem) => string | undefined = () => undefined,
): readonly UnknownResource[] {
  return missing.flatMap(({ path, message }) => {
    const made = built.find(({ item }) => item.path === path);
    const name = made?.resource?.name ?? made?.item.secretName;
    if (!made || name === undefined) return [];
    const type = made.item.item.type === "secret" ? "SDS" : "EDS";
    return [{ type, name, why: whyOf(made) ?? message }];
  });
}
