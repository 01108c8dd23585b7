import { expect } from "expect";
import { whyNoNativeSidecars } from "./native_sidecars.ts";

Deno.test("O5: API servers before 1.29 know no native sidecars, and whoever does not say may", () => {
  const why = (minor: string, major = "1") => whyNoNativeSidecars({ major, minor });
  expect(why("28")).toBe("the API server is of version 1.28, and 1.29 is needed");
  expect(why("9+")).toBe("the API server is of version 1.9, and 1.29 is needed");
  for (const minor of ["29", "29+", "36", "100", "", "new"]) expect([minor, why(minor)]).toEqual([minor, undefined]);
  expect(why("0", "2")).toBeUndefined();
  expect(whyNoNativeSidecars({})).toBeUndefined();
});
