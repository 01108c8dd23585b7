/**
 * `deno task bundle`: everything in `dist/chancery.js`, which runs with Deno alone, without `node_modules`, configuration or
 * network. Minified because V8 scans the whole file at each start.
 * @module
 */

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const target = Deno.args[0] ?? "dist/chancery.js";
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--frozen", "--minify", "--platform=deno", "--output", target, "cli.ts"],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) {
    console.error(
      "When the message above speaks of esbuild: Deno fetches it from the npm registry for the first bundle",
    );
    Deno.exit(1);
  }
  const { size } = await Deno.stat(target);
  console.log(`wrote ${target}, ${(size / 1e6).toFixed(1)} MB; try: deno run --allow-all ${target} version`);
}
