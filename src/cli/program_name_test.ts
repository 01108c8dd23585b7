import { expect } from "expect";
import { programName } from "./program_name.ts";

Deno.test("programName() knows a plugin of kubectl by its file, or by the environment", () => {
  const name = (files: readonly (string | undefined)[], env: Readonly<Record<string, string>> = {}) =>
    programName((variable) => env[variable], files);
  expect(name(["deno", "file:///usr/lib/chancery/chancery.js"])).toBe("chancery");
  expect(name([undefined, "file:///work/cli.ts"])).toBe("chancery");
  expect(name(["/usr/local/bin/kubectl-chancery", undefined])).toBe("kubectl chancery");
  expect(name(["deno", "file:///usr/local/bin/kubectl-chancery"])).toBe("kubectl chancery");
  expect(name(["C:\\bin\\kubectl-chancery.exe"])).toBe("kubectl chancery");
  expect(name(["deno", "file:///home/kubectl-chancery/chancery.js"])).toBe("chancery");
  expect(name(["deno"], { CHANCERY_PROGRAM: "kubectl chancery" })).toBe("kubectl chancery");
  expect(name(["deno"], { CHANCERY_PROGRAM: "rm -rf" })).toBe("chancery");
});
