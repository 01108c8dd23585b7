import { type FieldSchema, schemaFields } from "./schema_fields.ts";
import { type TypePlace, typeSchemas } from "./type_schemas.ts";

const TOP = new URL("../../", import.meta.url);

/** One document that a verb prints for machines. */
export interface Answer extends TypePlace {
  /** Name of its schema in `manifests/schemas/`. */
  readonly name: string;
  /** What is typed to get it. */
  readonly command: string;
}

/** Every verb with `-o json`, or `--format json`, whose document is ours. */
export const ANSWERS: readonly Answer[] = [
  { name: "certs", command: "chancery certs -o json", file: "src/cli/certs/report.ts", type: "CertsReport" },
  { name: "diff", command: "chancery diff -o json", file: "src/cli/diff/report.ts", type: "DiffReport" },
  { name: "history", command: "chancery history -o json", file: "src/cli/history/report.ts", type: "HistoryReport" },
  { name: "migrate", command: "chancery migrate -o json", file: "src/cli/migrate/run.ts", type: "MigrateReport" },
  { name: "rollback", command: "chancery rollback -o json", file: "src/cli/rollback/run.ts", type: "RollbackReport" },
  { name: "status", command: "chancery status -o json", file: "src/cli/status/report.ts", type: "StatusReport" },
  {
    name: "status-pods",
    command: "chancery status pods -o json",
    file: "src/cli/status/pods/report.ts",
    type: "PodsReport",
  },
  {
    name: "validate",
    command: "chancery validate --format json",
    file: "src/cli/validate/report_json.ts",
    type: "ReportJson",
  },
  { name: "version", command: "chancery version -o json", file: "src/cli/commands/version.ts", type: "VersionReport" },
];

/**
 * `manifests/schemas/`: a JSON Schema per document that verbs print for machines. They follow from the interfaces. Throws when a
 * field is gone that is published, since whoever reads the documents may rely on it.
 */
export async function answerSchemas(): Promise<ReadonlyMap<string, string>> {
  const schemaOf = typeSchemas(ANSWERS);
  const files = new Map<string, string>();
  for (const answer of ANSWERS) {
    const { $schema, description, ...rest } = schemaOf(answer);
    const text = `${JSON.stringify({ $schema, title: answer.command, description, ...rest }, null, 2)}\n`;
    const path = `manifests/schemas/${answer.name}.json`;
    const published = await Deno.readTextFile(new URL(path, TOP)).catch((error: unknown) => {
      if (error instanceof Deno.errors.NotFound) return "{}"; // it is new
      throw error;
    });
    keepsFields(answer.name, { published: JSON.parse(published), made: JSON.parse(text) });
    files.set(path, text);
  }
  return files;
}

/** Throws when a schema has no longer every field of the published one. */
export function keepsFields(
  name: string,
  { published, made }: { readonly published: FieldSchema; readonly made: FieldSchema },
): void {
  const fields = schemaFields(made);
  const lost = [...schemaFields(published)].filter((field) => !fields.has(field)).map((field) => JSON.stringify(field));
  if (lost.length === 0) return;
  const why = `fields are never removed, and there is none called ${lost.join(", ")} any more`;
  throw new Error(`Cannot write "manifests/schemas/${name}.json": ${why}`);
}
