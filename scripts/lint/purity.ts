import { importVisitor } from "./imports.ts";
import { isEdge, placeOf } from "./place.ts";

/** Names that reach outside, with what to do instead. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["Deno", "take what is needed as a value"],
  ["process", "take what is needed as a value"],
  ["fetch", "take a function"],
  ["console", "give back findings, or take a Logger"],
  ["performance", "take a Clock"],
  ["crypto", "take random bytes or a number as a value"],
  ["setTimeout", "take a Clock"],
  ["setInterval", "take a Clock"],
  ["clearTimeout", "take a Clock"],
  ["clearInterval", "take a Clock"],
  ["setImmediate", "take a Clock"],
]);

/** Pure files name no clock, socket, timer, chance, `Deno` or `node:`; edges are listed in `layers.ts`. */
export const purity: Deno.lint.Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (!place?.path.startsWith("src/") || place.test || isEdge(place)) return {};
    // A parameter or variable of the same name is not the global, and may be declared after its use: report at the end.
    const declared = new Set<string>();
    const uses: { name: string; node: Deno.lint.Node; shown: string; instead: string }[] = [];

    function use(node: Deno.lint.Node, name: string, shown: string, instead: string) {
      uses.push({ node, name, shown, instead });
    }

    return {
      ...importVisitor(({ specifier, typeOnly, node }) => {
        if (specifier.startsWith("node:") && !typeOnly) use(node, "", specifier, "move it to an edge");
      }),
      Identifier(node) {
        if (isDeclaration(node)) declared.add(node.name);
        else if (OUTSIDE.has(node.name) && !isMemberName(node)) {
          use(node, node.name, node.name, OUTSIDE.get(node.name)!);
        }
      },
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
        const shown = `${node.object.name}.${node.property.name}`;
        if (shown === "Date.now") use(node, "Date", shown, "take the time as a value");
        if (shown === "Math.random") use(node, "Math", shown, "take the number as a value");
        if (node.object.name === "globalThis" && OUTSIDE.has(node.property.name)) {
          use(node, "globalThis", shown, OUTSIDE.get(node.property.name)!);
        }
      },
      NewExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0) {
          use(node, "Date", "new Date()", "take the time as a value");
        }
      },
      CallExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "Date") {
          use(node, "Date", "Date()", "take the time as a value");
        }
      },
      "Program:exit"() {
        for (const { node, name, shown, instead } of uses) {
          if (declared.has(name)) continue;
          context.report({
            node,
            message: `"${place.path}" is pure and must not name "${shown}"`,
            hint: `${instead}; edges are listed in scripts/lint/layers.ts`,
          });
        }
      },
    };
  },
};

/** Whether the identifier is where a variable, parameter or import gets its name. */
function isDeclaration(node: Deno.lint.Identifier): boolean {
  const parent: Deno.lint.Node = node.parent;
  switch (parent.type) {
    case "VariableDeclarator":
      return parent.id === node;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return parent.params.some((parameter) => parameter === node);
    case "AssignmentPattern":
      return parent.left === node;
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
      return parent.local === node;
    case "Property":
      // `const { fetch } = options` and `function f({ fetch }) {}`
      return parent.value === node && parent.parent.type === "ObjectPattern";
    default:
      return false;
  }
}

/** Whether the identifier is only the name of a member: `options.fetch`, `{ fetch: … }`, `interface { fetch: … }`. */
function isMemberName(node: Deno.lint.Identifier): boolean {
  const parent: Deno.lint.Node = node.parent;
  switch (parent.type) {
    case "MemberExpression":
      return parent.property === node && !parent.computed;
    case "Property":
      return parent.key === node && !parent.computed;
    case "MethodDefinition":
    case "PropertyDefinition":
    case "TSPropertySignature":
    case "TSMethodSignature":
      return parent.key === node && !parent.computed;
    case "TSQualifiedName":
      return parent.right === node;
    default:
      return false;
  }
}
