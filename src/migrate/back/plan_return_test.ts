import { testCases } from "../../../tests/golden/cases.ts";
import type { KubeObject } from "../../install/mod.ts";
import { Inventory } from "../inventory.ts";
import { planReturn } from "./plan_return.ts";

testCases(new URL("./testdata", import.meta.url), {
  name: "planReturn()",
  run(input) {
    const { objects } = input as { objects: KubeObject[] }; // our own files
    return planReturn(new Inventory(objects)).map(({ object, next, ...rest }) => ({
      ...rest,
      ...(object !== null && { object }),
      ...(next !== null && { next }),
    }));
  },
});
