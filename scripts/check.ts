/**
 * `deno task check`: formatting, lint, types of every file, and generated files that are stale. Runs all of them even when one
 * fails, and says at the end which did.
 * @module
 */

/** Whether one step ran without complaint; its output goes to the terminal. */
async function passes(args: readonly string[]): Promise<boolean> {
  console.log(`\n── deno ${args.join(" ")}`);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return success;
}

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const steps = {
    format: ["fmt", "--check"],
    lint: ["lint"],
    types: ["check", "--quiet", "--frozen", "."],
    generated: ["run", "--quiet", "--allow-read=.", "--allow-env", "scripts/generate.ts", "--check"],
  };
  const failed: string[] = [];
  for (const [name, args] of Object.entries(steps)) if (!await passes(args)) failed.push(name);
  console.log(failed.length === 0 ? "\ncheck: all passed" : `\ncheck: failed: ${failed.join(", ")}`);
  Deno.exit(failed.length === 0 ? 0 : 1);
}
