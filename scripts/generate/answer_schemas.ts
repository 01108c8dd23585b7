import { type TypePlace, typeSchemas } from "./type_schemas.ts";

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
 * `manifests/schemas/`: a JSON Schema per document that verbs print for machines. They follow from the interfaces, so that a field
 * that is gone, or has got another type, is seen in a file that whoever reads the documents may rely on.
 */
export function answerSchemas(): ReadonlyMap<string, string> {
  const schemaOf = typeSchemas(ANSWERS);
  return new Map(ANSWERS.map((answer) => {
    const { $schema, description, ...rest } = schemaOf(answer);
    const schema = { $schema, title: answer.command, description, ...rest };
    return [`manifests/schemas/${answer.name}.json`, `${JSON.stringify(schema, null, 2)}\n`];
  }));
}
