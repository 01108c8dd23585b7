/**
 * `deno task compile [TARGET]`: one executable, `dist/chancery`. Deno links its runtime `denort` into it, which it downloads
 * the first time, or takes from `DENORT_BIN`.
 * @module
 */

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const given = Deno.env.get("DENORT_BIN");
  console.log(
    given
      ? `Linking the runtime that DENORT_BIN names: ${given}`
      : `The first time, Deno ${Deno.version.deno} downloads its runtime "denort" (some 40 MB) from its release server`,
  );
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--frozen",
      "--bundle",
      "--no-check",
      "--allow-all",
      ...(Deno.args[0] ? ["--target", Deno.args[0]] : []),
      "--output",
      "dist/chancery",
      "cli.ts",
    ],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (success) Deno.exit(0);
  console.error(
    `\nCannot compile "dist/chancery". When the message above speaks of denort, the release server is out of reach: ` +
      "download denort of the same version elsewhere and name it in DENORT_BIN (the deno binary itself will not do), " +
      "or ship Deno with the file that deno task bundle writes",
  );
  Deno.exit(1);
}
