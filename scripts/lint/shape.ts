import { EMPTY_NAMES } from "./layers.ts";
import { placeOf } from "./place.ts";

/** Top-level functions are declared with `function`: they have a name in stack traces and may stand in any order. */
export const functionDeclaration: Deno.lint.Rule = {
  create(context) {
    return {
      VariableDeclarator(node) {
        if (node.init?.type !== "ArrowFunctionExpression") return;
        const declaration: Deno.lint.Node = node.parent;
        const holder: Deno.lint.Node | undefined = "parent" in declaration ? declaration.parent : undefined;
        if (holder?.type !== "Program" && holder?.type !== "ExportNamedDeclaration") return;
        const name = node.id.type === "Identifier" ? node.id.name : "…";
        context.report({ node, message: `Declare the top-level function "${name}" with the "function" keyword` });
      },
    };
  },
};

/** Members are hidden by `#`, which holds at run time, not by `private`. A constructor has no other way. */
export const hashPrivate: Deno.lint.Rule = {
  create(context) {
    function report(range: Deno.lint.Range) {
      context.report({ range, message: 'Hide this member with "#" instead of "private"' });
    }

    return {
      MethodDefinition(node) {
        if (node.accessibility === "private" && node.kind !== "constructor") report(node.range);
      },
      PropertyDefinition(node) {
        if (node.accessibility === "private") report(node.range);
      },
      TSParameterProperty(node) {
        // Deno 2.9 leaves `accessibility` empty here, so the text has to tell.
        const [start, end] = node.range;
        if (/^(@\S+\s+)*private\s/.test(context.sourceCode.text.slice(start, end))) report(node.range);
      },
    };
  },
};

/** No folder is called after nothing in particular. */
export const folderName: Deno.lint.Rule = {
  create(context) {
    const folders = placeOf(context.filename)?.path.split("/").slice(0, -1) ?? [];
    const empty = folders.find((folder) => EMPTY_NAMES.has(folder));
    if (empty === undefined) return {};
    return {
      Program(node) {
        context.report({ node, message: `"${empty}" says nothing: name the folder after what its files are about` });
      },
    };
  },
};
