/**
 * The bundle for the Operator Lifecycle Manager, looked at by the validation of its own project.
 * @module
 */
import { expect } from "expect";
import { runProgram } from "./programs.ts";

const BUNDLE = decodeURIComponent(new URL("../../manifests/olm", import.meta.url).pathname);

/** What it would like to have, and why it is not there. */
const MISSED: readonly { readonly about: RegExp; readonly why: string }[] = [
  { about: /csv\.Spec\.Icon not specified/, why: "there is no logo" },
  { about: /Kind=(EnvoyConfigRevision|DiscoveryServiceCertificate): provided API/, why: "nobody writes them himself" },
  {
    about:
      /removed in v1\.25\. .* for horizontalpodautoscalers: \([^)]*Permissions[^)]*\),poddisruptionbudgets: \([^)]*Permissions[^)]*\),"$/,
    why: "rights name no version; what is written is autoscaling/v2 and policy/v1",
  },
  { about: /\\"operatorhub\\" validator is deprecated/, why: "its program has no flag for what follows it" },
];

Deno.test("the validation of operator bundles finds nothing wrong with ours", async () => {
  const args = ["manifests", "--operatorhub_validate", "--object_validate", BUNDLE];
  const { code, stdout, stderr } = await runProgram("operator-verify", args);
  expect(code).toBe(0);
  const said = `${stdout}${stderr}`.split("\n").filter((line) => /level=|error|warn/i.test(line));
  expect(said.filter((line) => !MISSED.some(({ about }) => about.test(line)))).toEqual([]);
  for (const { about, why } of MISSED) expect([why, said.some((line) => about.test(line))]).toEqual([why, true]);
});
