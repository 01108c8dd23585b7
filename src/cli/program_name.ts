/** What is typed to run the program, so that every command it proposes can be typed as it stands. */
export type ProgramName = "chancery" | "kubectl chancery";

/** The name under which kubectl finds its plugins. */
const PLUGIN = "kubectl-chancery";

/**
 * How the program was called: as a plugin of kubectl, when the file that was run has the name of one, or when
 * `CHANCERY_PROGRAM` says so, for a script of that name that runs something else.
 */
export function programName(
  env: (name: string) => string | undefined,
  files: readonly (string | undefined)[],
): ProgramName {
  const plugin = files.some((file) => file?.split(/[/\\]/).at(-1)?.replace(/\.(exe|js|ts)$/, "") === PLUGIN);
  return plugin || env("CHANCERY_PROGRAM") === "kubectl chancery" ? "kubectl chancery" : "chancery";
}
