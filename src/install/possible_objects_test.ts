import { expect } from "expect";
import { allObjects, type InstalledObjects, installedObjects } from "./installed_objects.ts";
import { objectTitle } from "./kube_object.ts";
import { possibleObjects } from "./possible_objects.ts";
import { installOptions } from "./settings/mod.ts";

const SWITCHES = ["certManager.enabled", "monitoring.enabled", "networkPolicies.enabled"] as const;

function titles(objects: InstalledObjects): string[] {
  return allObjects(objects).map(objectTitle);
}

Deno.test("possibleObjects() has each object of an installation once, however it was switched", () => {
  for (const watchNamespaces of [[], ["shop", "blog"]]) {
    const possible = titles(possibleObjects({ watchNamespaces }, "mesh"));
    expect(possible.length).toBe(new Set(possible).size);
    for (let bits = 0; bits < 2 ** SWITCHES.length; bits++) {
      const switches = Object.fromEntries(SWITCHES.map((name, at) => [name, (bits >> at & 1) === 1]));
      const installed = titles(installedObjects(installOptions({ watchNamespaces, ...switches }, "mesh")));
      expect(installed.filter((title) => !possible.includes(title))).toEqual([]);
    }
  }
});
