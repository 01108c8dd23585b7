import { expect } from "expect";

const TOP = new URL("../", import.meta.url);

/** What is in the top folder; `dist` and `coverage` are written by tasks and belong to nobody. */
const ENTRIES = [
  ".ci",
  ".gitignore",
  "LICENSE",
  "README.md",
  "cli.ts",
  "deno.json",
  "deno.lock",
  "manifests",
  "mod.ts",
  "protos",
  "scripts",
  "src",
  "tests",
];

Deno.test("the top folder holds the known entries and nothing else", async () => {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(TOP)) if (![".git", "dist", "coverage"].includes(name)) found.push(name);
  expect(found.sort()).toEqual(ENTRIES);
});

Deno.test(".ci/run runs the test command of README.md", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", TOP));
  const ci = await Deno.readTextFile(new URL(".ci/run", TOP));
  const command = /npx --yes (deno@\d+\.\d+\.\d+) task test/.exec(readme);
  expect(command).not.toBeNull();
  expect(ci).toContain(`deno=(npx --yes ${command![1]})`);
  expect(ci).toContain('"${deno[@]}" task test');
});

Deno.test("libraries are pinned to exact versions", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", TOP)));
  for (const [name, target] of Object.entries(imports)) {
    expect([name, target]).toEqual([
      name,
      expect.stringMatching(/^npm:(@[^/]+\/)?[^@/]+@\d+\.\d+\.\d+(-[\w.]+)?(\/.*)?$/),
    ]);
  }
});
