/** An import or re-export, static or dynamic, with a literal specifier. */
export interface FoundImport {
  readonly specifier: string;
  /** Whether it vanishes when types are stripped. */
  readonly typeOnly: boolean;
  readonly node: Deno.lint.Node;
}

/** A visitor that calls back for everything that names another module. */
export function importVisitor(found: (found: FoundImport) => void): Deno.lint.LintVisitor {
  return {
    ImportDeclaration(node) {
      found({ specifier: node.source.value, typeOnly: node.importKind === "type", node });
    },
    ExportNamedDeclaration(node) {
      if (node.source) found({ specifier: node.source.value, typeOnly: node.exportKind === "type", node });
    },
    ExportAllDeclaration(node) {
      found({ specifier: node.source.value, typeOnly: node.exportKind === "type", node });
    },
    ImportExpression(node) {
      if (node.source.type === "Literal" && typeof node.source.value === "string") {
        found({ specifier: node.source.value, typeOnly: false, node });
      }
    },
    TSImportType(node) {
      // Typed as any type, but always a literal here: TypeScript allows nothing else.
      const argument: Deno.lint.Node = node.argument;
      if (argument.type === "TSLiteralType" && argument.literal.type === "Literal") {
        found({ specifier: String(argument.literal.value), typeOnly: true, node });
      }
    },
  };
}
