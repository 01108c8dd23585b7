import { expect } from "expect";
import { foreignObjects, tellsWhose } from "./elsewhere.ts";
import { installedObjects } from "./installed_objects.ts";
import { objectTitle } from "./kube_object.ts";
import { installOptions } from "./settings/mod.ts";
import { removalOf } from "./stages.ts";

function removed(namespace: string) {
  return removalOf(installedObjects(installOptions({}, namespace)), { deleteCrds: true }).removed;
}

function live(namespace: string) {
  return new Map(removed(namespace).filter(tellsWhose).map((object) => [objectTitle(object), object]));
}

Deno.test("foreignObjects() keeps what the installation of another namespace has under the same names", () => {
  const kept = foreignObjects(removed("mesh"), live("marin3r-system"));
  expect(Object.fromEntries(kept)).toEqual(Object.fromEntries([
    "mutatingwebhookconfiguration.admissionregistration.k8s.io/marin3r-mutating-webhook-configuration",
    "validatingwebhookconfiguration.admissionregistration.k8s.io/marin3r-validating-webhook-configuration",
    "clusterrolebinding.rbac.authorization.k8s.io/chancery-webhook",
    "clusterrole.rbac.authorization.k8s.io/chancery-webhook",
    "clusterrolebinding.rbac.authorization.k8s.io/chancery-operator",
    "clusterrole.rbac.authorization.k8s.io/chancery-operator",
  ].map((title) => [title, 'it is of namespace "marin3r-system"'])));
});

Deno.test("foreignObjects() keeps nothing of an installation itself, and a namespace that was there before", () => {
  expect([...foreignObjects(removed("mesh"), live("mesh"))]).toEqual([]);
  const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "shop" } } };
  expect([...foreignObjects(removed("shop"), new Map([["namespace/shop", shop]]))]).toEqual([
    ["namespace/shop", "it was there before"],
  ]);
});
