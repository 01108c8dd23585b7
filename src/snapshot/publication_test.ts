import { expect } from "expect";
import { parsePublication, publicationId } from "./publication.ts";

Deno.test("publicationId() is the version until something was refused, and then tells how often", () => {
  const cases = [
    ["n7k3mdkq2a", 0, "n7k3mdkq2a"],
    ["n7k3mdkq2a", 12, "n7k3mdkq2a-r12"],
    ["85cdf4df4", 1, "85cdf4df4-r1"],
    ["odd-r2", 1, "odd-r2-r1"],
    ["", 0, ""],
  ] as const;
  for (const [version, rollbackCount, id] of cases) {
    expect(publicationId({ version, rollbackCount })).toBe(id);
    expect(parsePublication(id)).toEqual({ version, rollbackCount });
  }
});
