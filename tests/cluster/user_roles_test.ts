import { expect } from "expect";
import { clusterTest, sharedControlPlane } from "./control_plane/mod.ts";

const ROLES = new URL("../../manifests/rbac/user_roles.yaml", import.meta.url);

/** Who may do what in a namespace by Kubernetes' own roles, once ours are there. */
const MAY: readonly { role: string; verb: string; what: string; allowed: boolean }[] = [
  { role: "view", verb: "list", what: "envoyconfigs.marin3r.3scale.net", allowed: true },
  { role: "view", verb: "get", what: "envoyconfigrevisions.marin3r.3scale.net", allowed: true },
  { role: "view", verb: "watch", what: "discoveryservicecertificates.operator.marin3r.3scale.net", allowed: true },
  { role: "view", verb: "list", what: "leases.coordination.k8s.io", allowed: true },
  { role: "view", verb: "patch", what: "envoyconfigs.marin3r.3scale.net", allowed: false },
  { role: "edit", verb: "list", what: "envoyconfigs.marin3r.3scale.net", allowed: true },
  { role: "edit", verb: "create", what: "discoveryservices.operator.marin3r.3scale.net", allowed: true },
  { role: "edit", verb: "patch", what: "envoydeployments.operator.marin3r.3scale.net/scale", allowed: true },
  { role: "edit", verb: "create", what: "envoyconfigrevisions.marin3r.3scale.net", allowed: false },
  { role: "edit", verb: "patch", what: "envoyconfigs.marin3r.3scale.net/status", allowed: false },
  { role: "edit", verb: "deletecollection", what: "envoyconfigs.marin3r.3scale.net", allowed: false },
  { role: "admin", verb: "deletecollection", what: "envoyconfigs.marin3r.3scale.net", allowed: true },
  { role: "admin", verb: "delete", what: "envoyconfigrevisions.marin3r.3scale.net", allowed: false },
];

clusterTest("whoever may see, edit or administer a namespace may do so with our objects", async () => {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  await cluster.apply(await Deno.readTextFile(ROLES));
  const namespace = await cluster.namespace();
  for (const role of ["view", "edit", "admin"]) {
    await cluster.apply([{
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: role, namespace },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: `user-${role}` }],
    }]);
  }
  const deadline = Date.now() + 20_000;
  for (const { role, verb, what, allowed } of MAY) {
    const [resource, subresource] = what.split("/");
    const [plural, ...group] = resource!.split(".");
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: `user-${role}`,
        resourceAttributes: { namespace, verb, group: group.join("."), resource: plural, subresource },
      },
    };
    for (;;) {
      const { status } = await cluster.request(
        "POST",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        review,
      ) as {
        status: { allowed: boolean };
      };
      // Roles are aggregated by a controller, a moment later; what is not allowed is not going to be.
      if (status.allowed === allowed || Date.now() > deadline) {
        expect({ role, verb, what, allowed: status.allowed }).toEqual({ role, verb, what, allowed });
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
});
