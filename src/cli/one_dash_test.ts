import { expect } from "expect";
import { fromOneDash } from "./one_dash.ts";
import type { OptionTable } from "./option.ts";

const TABLE: OptionTable = {
  syncInterval: { type: "duration", help: "" },
  watch: { type: "flag", help: "" },
  configmap: { type: "text", list: true, help: "" },
};

const CASES: readonly (readonly [string, string])[] = [
  ["-watch -configmap a -configmap=b", "--watch --configmap a --configmap b"],
  ["--watch --sync-interval 5s", "--watch --sync-interval 5s"],
  ["-sync-interval=5s", "--sync-interval 5s"],
  ["-watch=true --watch=T", "--watch --watch"],
  ["-watch=false --watch=0", ""],
  ["-watch=perhaps", "-watch=perhaps"],
  ["-configmap -watch", "--configmap -watch"],
  ["-h --help -other x", "-h --help -other x"],
  ["-configmap", "--configmap"],
  ["-- -watch", "-- -watch"],
];

for (const [given, wanted] of CASES) {
  Deno.test(`fromOneDash() makes "${wanted}" of "${given}"`, () => {
    expect(fromOneDash(given.split(" "), TABLE).join(" ")).toBe(wanted);
  });
}
