import { readCluster, readFiles } from "../../app/migrate/mod.ts";
import { envoyRegistry } from "../../envoy/mod.ts";
import { INVENTORY_KINDS, planMigration, planReturn, type Remark, RETURN_KINDS } from "../../migrate/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { documentText } from "../output.ts";
import { painter } from "../text/paint.ts";
import { migrationText, TO_MARIN3R } from "./text.ts";

/** What `chancery migrate` is told. */
export interface MigrateValues {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly back: boolean;
  readonly output: "text" | "json" | "yaml";
}

/** The whole of `chancery migrate -o json`: fields are added here, never removed or given another meaning. */
export interface MigrateReport {
  readonly version: 1;
  /** Nothing has to be done first. */
  readonly ready: boolean;
  /** What has to be done first first. */
  readonly remarks: readonly Remark[];
}

/** Looks at the files, or at the cluster when there are none, and says what is to be said. */
export async function runMigrate(
  { kubeconfig, context: cluster, back, output }: MigrateValues,
  context: CliContext,
  paths: readonly string[],
): Promise<number> {
  const host = {
    kubeconfig,
    context: cluster,
    env: (name: string) => context.env(name),
  };
  const kinds = back ? RETURN_KINDS : INVENTORY_KINDS;
  const inventory = paths.length > 0 ? await readFiles(paths) : await readCluster(kinds, host);
  const remarks = back ? planReturn(inventory) : planMigration(inventory, envoyRegistry());
  const ready = !remarks.some(({ weight }) => weight === "first");
  const report: MigrateReport = { version: 1, ready, remarks };
  context.out(
    output === "text"
      ? migrationText(remarks, painter(context.color.out), back ? TO_MARIN3R : undefined)
      : await documentText(report, output),
  );
  return ready ? EXIT.ok : EXIT.differs;
}
