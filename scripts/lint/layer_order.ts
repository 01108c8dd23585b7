import { importVisitor } from "./imports.ts";
import { RANKS } from "./layers.ts";
import { type Place, placeOf, resolveImport } from "./place.ts";

/** Folders import only from lower ranks, and only through the other folder's `mod.ts` or that of a folder in it. */
export const layerOrder: Deno.lint.Rule = {
  create(context) {
    const from = placeOf(context.filename);
    if (!from || !isOurs(from)) return {};
    if (from.path.startsWith("src/") && (from.folder === undefined || RANKS[from.folder] === undefined)) {
      return {
        Program(node) {
          context.report({
            node,
            message: `"${from.path}" is in no folder that has a rank`,
            hint: "Move it, or give its folder a rank in scripts/lint/layers.ts",
          });
        },
      };
    }
    return importVisitor(({ specifier, node }) => {
      const target = resolveImport(from, specifier);
      const message = target === undefined ? undefined : problemOf(from, target);
      if (message) context.report({ node, message });
    });
  },
};

function isOurs(place: Place): boolean {
  return place.path.startsWith("src/") || place.path === "mod.ts" || place.path === "cli.ts";
}

function problemOf(from: Place, target: string): string | undefined {
  const steps = target.split("/");
  if (steps[0] === "tests" || steps[0] === "scripts") {
    return from.test ? undefined : `"${from.path}" must not import "${target}": only tests may`;
  }
  if (steps[0] !== "src") return undefined;
  const [, folder = ""] = steps;
  if (folder === from.folder) return undefined;
  const rank = RANKS[folder];
  if (steps.length < 3 || rank === undefined) {
    return `"${from.path}" imports "${target}", which is in no folder that has a rank`;
  }
  const own = from.folder === undefined ? Infinity : RANKS[from.folder]!;
  if (rank >= own) {
    return `"${from.path}" (${from.folder}, rank ${own}) must not import "${target}" (${folder}, rank ${rank}): ` +
      "imports go to lower ranks only";
  }
  if (steps.at(-1) !== "mod.ts") {
    return `"${from.path}" must not import "${target}": the door of "${folder}" is its mod.ts`;
  }
  return undefined;
}
