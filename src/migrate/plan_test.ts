import { testCases } from "../../tests/golden/cases.ts";
import { envoyRegistry } from "../envoy/mod.ts";
import type { KubeObject } from "../install/mod.ts";
import { Inventory } from "./inventory.ts";
import { obstacles, planMigration } from "./plan.ts";

testCases(new URL("./testdata", import.meta.url), {
  name: "planMigration()",
  run(input) {
    const { objects } = input as { objects: KubeObject[] }; // our own files
    const inventory = new Inventory(objects);
    return {
      remarks: planMigration(inventory, envoyRegistry()).map(({ object, next, ...rest }) => ({
        ...rest,
        ...(object !== null && { object }),
        ...(next !== null && { next }),
      })),
      obstacles: obstacles(inventory).map(({ object }) => object),
    };
  },
});
