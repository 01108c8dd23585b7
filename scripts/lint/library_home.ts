import { importVisitor } from "./imports.ts";
import { LIBRARY_HOMES } from "./layers.ts";
import { isWithin, placeOf } from "./place.ts";

/** Each third-party library is imported in its one folder only, so that it can be swapped there. */
export const libraryHome: Deno.lint.Rule = {
  create(context) {
    const from = placeOf(context.filename);
    if (!from || from.test || !/^(src\/|mod\.ts$|cli\.ts$)/.test(from.path)) return {};
    return importVisitor(({ specifier, node }) => {
      const library = packageOf(specifier);
      if (library === undefined) return;
      const homes = LIBRARY_HOMES[library];
      if (homes?.some((home) => isWithin(from.path, home))) return;
      context.report({
        node,
        message: homes
          ? `"${from.path}" must not import "${library}": its place is ${homes.join(" or ")}`
          : `"${from.path}" imports "${library}", which has no place in scripts/lint/layers.ts`,
      });
    });
  },
};

/** `@scope/name` or `name` of a bare or `npm:` specifier; `undefined` for relative, `node:` and other URLs. */
function packageOf(specifier: string): string | undefined {
  const bare = specifier.startsWith("npm:") ? specifier.slice(4).replace(/^\//, "") : specifier;
  if (bare.startsWith(".") || /^[a-z]+:/.test(bare)) return undefined;
  return /^(@[^/@]+\/[^/@]+|[^/@]+)/.exec(bare)?.[1];
}
