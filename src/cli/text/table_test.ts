import { expect } from "expect";
import { painter } from "./paint.ts";
import { tableLines } from "./table.ts";

Deno.test("tableLines() puts cells below each other, with or without colors", () => {
  const rows = [["a", { text: "long cell", style: "red" }, "x"], ["name", "", { text: "", style: "green" }]] as const;
  expect(tableLines(["NAME", "B", "C"], rows, painter(false))).toEqual([
    "NAME   B           C",
    "a      long cell   x",
    "name   -           -",
  ]);
  const colored = tableLines(["NAME", "B", "C"], rows, painter(true));
  expect(colored[1]).toBe("a      \x1b[31mlong cell\x1b[0m   x");
  // deno-lint-ignore no-control-regex
  expect(colored.map((line) => line.replace(/\x1b\[\d+m/g, ""))).toEqual(
    tableLines(["NAME", "B", "C"], rows, painter(false)),
  );
});

Deno.test("tableLines() lets no control character through", () => {
  expect(tableLines(["A"], [["x\x1b[2J\ny\u202e"]], painter(false))).toEqual(["A", "x\\u001b[2J\\u000ay\\u202e"]);
});
