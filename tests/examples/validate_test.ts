/** Every example is what it says it is: valid, references included, or wrong on purpose in just one way. */
import { expect } from "expect";
import { runCaptured } from "../../src/cli/fake_terminal.ts";
import { exampleNames, EXAMPLES, filesOf, OTHER_FILES, statesOf, textOf } from "./example_folder.ts";

/** What `chancery validate --strict` says of the steps that are wrong on purpose, or deprecated. */
const TOLD: Readonly<Record<string, readonly RegExp[]>> = {
  "configuration-validation/2_misspelt_duration": [
    /error: .*connect_timeout: expected a duration such as "0.25s", found string "10 miliseconds"$/,
  ],
  "deprecated-form/1_deprecated": [/warning: .*envoyResources is deprecated/],
  "secret-ref/1_ref": [
    /warning: .*envoyResources is deprecated/,
    /warning: .*Secret "server" is not among the given files/,
    /warning: .*ref is ignored, the Secret is looked up by the item's own name, found "secret-ref"$/,
  ],
  "self-healing/2_unknown_cluster": [/error: .*cluster "nowhere" is not in this EnvoyConfig/],
};

for (const example of exampleNames()) {
  Deno.test(`chancery validate --strict has nothing to say of the example ${example}, or just what is meant`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "chancery-" });
    try {
      for (const state of statesOf(example)) {
        const file = `${folder}/${state.step || example}.yaml`;
        await Deno.writeTextFile(file, textOf(state));
        const { status, out, err } = await runCaptured(["validate", "--strict", file]);
        const told = TOLD[`${example}/${state.step}`] ?? [];
        const findings = out.split("\n").filter((line) => line.startsWith(file));
        expect([state.step, findings]).toEqual([state.step, told.map((wanted) => expect.stringMatching(wanted))]);
        expect([state.step, status, err]).toEqual([state.step, told.length > 0 ? 1 : 0, ""]);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("every file of the examples is a manifest, or it is told what else it is", () => {
  const files = exampleNames().flatMap((example) => filesOf(example).map((file) => `${example}/${file}`));
  const others = files.filter((file) => !/\.yaml$/.test(file) || OTHER_FILES.has(file));
  expect(others).toEqual([...OTHER_FILES.keys()]);
  const told = Object.keys(TOLD).map((step) => `${step}.yaml`);
  expect(told.filter((file) => !files.includes(file))).toEqual([]);
});

Deno.test("every path that the comments of the examples name is there", async () => {
  const missing: string[] = [];
  for (const example of exampleNames()) {
    for (const file of filesOf(example)) {
      const text = await Deno.readTextFile(new URL(`${example}/${file}`, EXAMPLES));
      for (const [, path = ""] of text.matchAll(/manifests\/examples\/([\w./-]*\w)/g)) {
        if (!await Deno.stat(new URL(path, EXAMPLES)).catch(() => false)) missing.push(`${example}/${file}: ${path}`);
      }
    }
  }
  expect(missing).toEqual([]);
});
