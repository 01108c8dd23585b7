/**
 * `deno task compile [TARGET]`: one executable, `dist/chancery`, for this machine or a target triple. Deno links its runtime `denort` into it, which it downloads
 * the first time, or takes from `DENORT_BIN`.
 * @module
 */

/** What Deno has a runtime for. */
const TARGETS = [
  ...["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin"],
  "x86_64-pc-windows-msvc",
];

if (import.meta.main) {
  Deno.chdir(new URL("..", import.meta.url));
  const target = Deno.args[0] ?? Deno.build.target;
  if (!TARGETS.includes(target)) {
    console.error(`Cannot compile for ${JSON.stringify(target)}: targets are ${TARGETS.join(", ")}`);
    Deno.exit(2);
  }
  const given = Deno.env.get("DENORT_BIN");
  console.log(
    given
      ? `Linking the runtime that DENORT_BIN names, for ${target}: ${given}`
      : `For ${target}; the first time, Deno ${Deno.version.deno} downloads its runtime "denort" for it (some 40 MB) from its ` +
        "release server",
  );
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--frozen",
      "--bundle",
      "--no-check",
      "--allow-all",
      ...["--target", target],
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
