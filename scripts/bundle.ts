/**
 * `deno task bundle`: everything in `dist/chancery.js`, which runs with Deno alone, without `node_modules`, configuration or
 * network. Minified because V8 scans the whole file at each start, and one function rather than a module, because a module loads all of
 * Node's modules that any part of it names before it begins: 15 MB for an agent that needs none.
 * @module
 */

/** How Deno's bundler gets at Node's modules, which a function cannot import. */
const IMPORTS = /import\s*\{\s*createRequire as (\w+)\s*\}\s*from\s*"node:module";var (\w+)=\1\(import\.meta\.url\);/;

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const target = Deno.args[0] ?? "dist/chancery.js";
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--frozen", "--minify", "--platform=deno", "--format=iife"],
      ...["--output", target, "cli.ts"],
    ],
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
  const text = await Deno.readTextFile(target);
  if (!IMPORTS.test(text)) {
    throw new Error(`Cannot make "${target}": the bundler gets at Node's modules in another way`);
  }
  await Deno.writeTextFile(target, text.replace(IMPORTS, "var $2=(name)=>process.getBuiltinModule(name);"));
  const { size } = await Deno.stat(target);
  console.log(`wrote ${target}, ${(size / 1e6).toFixed(1)} MB; try: deno run --allow-all ${target} version`);
}
