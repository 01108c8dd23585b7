import { type InstalledObjects, installedObjects } from "./installed_objects.ts";
import { type KubeObject, objectTitle } from "./kube_object.ts";
import { installOptions, type SettingValues } from "./settings/mod.ts";

/** Everything that can have been asked for, and what is there only as long as cert-manager.io is left out. */
const SWITCHES: readonly SettingValues[] = [
  { "certManager.enabled": true, "monitoring.enabled": true, "networkPolicies.enabled": true },
  { "certManager.enabled": false },
];

/** What an installation may consist of whose settings nobody remembers but these. */
export function possibleObjects(settings: SettingValues, namespace: string): InstalledObjects {
  const [all, ...others] = SWITCHES.map((some) =>
    installedObjects(installOptions({ ...settings, ...some }, namespace))
  );
  const merged = Object.entries(all!).map(([part, objects]) => { // there are two
    const known = new Map<string, KubeObject>();
    const groups = [objects, ...others.map((one) => one[part as keyof InstalledObjects])];
    for (const object of groups.flat()) if (!known.has(objectTitle(object))) known.set(objectTitle(object), object);
    return [part, [...known.values()]] as const;
  });
  return Object.fromEntries(merged) as unknown as InstalledObjects; // the same parts
}
