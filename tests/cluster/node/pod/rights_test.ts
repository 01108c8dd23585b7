import { expect } from "expect";
import type { Container, Pod, PodSecurityContext, SecurityContext } from "./pod.ts";
import { rightsOf } from "./rights.ts";

function rights(pod: PodSecurityContext, own: SecurityContext, user?: number) {
  const container: Container = { name: "c", image: "i", securityContext: own };
  const given: Pod = {
    metadata: { name: "p", namespace: "n", uid: "u" },
    spec: { containers: [container], securityContext: pod },
  };
  return rightsOf(given, container, user === undefined ? {} : { user });
}

Deno.test("rightsOf() prefers the container's user to the Pod's, and the Pod's to the image's", () => {
  expect(rights({}, {}).user).toBe(0);
  expect(rights({}, {}, 101)).toMatchObject({ user: 101, group: 101 });
  expect(rights({ runAsUser: 5, runAsGroup: 6, fsGroup: 7, supplementalGroups: [8] }, {}, 101)).toMatchObject({
    user: 5,
    group: 6,
    groups: [8, 7],
  });
  expect(rights({ runAsUser: 5 }, { runAsUser: 9 }).user).toBe(9);
});

Deno.test("rightsOf() refuses a root that must not be one", () => {
  expect(() => rights({ runAsNonRoot: true }, {})).toThrow("runAsNonRoot");
  expect(rights({ runAsNonRoot: true }, {}, 101).user).toBe(101);
});

Deno.test("rightsOf() drops and adds capabilities", () => {
  expect(rights({}, { capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }).capabilities).toEqual([
    "net_bind_service",
  ]);
  expect(rights({}, { capabilities: { drop: ["CAP_CHOWN"] } }).capabilities).not.toContain("chown");
  expect(rights({}, {}).capabilities).not.toContain("sys_admin");
  expect(rights({}, { privileged: true }).capabilities).toBe("all");
});
