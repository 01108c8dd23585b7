import { expect } from "expect";
import { staleFiles } from "./generate.ts";

Deno.test("O10: generated files are as the code says; deno task generate writes them", async () => {
  expect([...(await staleFiles()).keys()]).toEqual([]);
});
