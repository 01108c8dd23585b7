import { expect } from "expect";
import { replacementOf } from "./immutable.ts";
import type { WatchedObject } from "./object_source.ts";

function service(spec: object, applied?: object) {
  const fieldsV1 = { "f:spec": applied };
  const managedFields = applied && [{ manager: "chancery", operation: "Apply", fieldsV1 }];
  const metadata = { name: "front", namespace: "shop", uid: "u", ...(managedFields && { managedFields }) };
  return { apiVersion: "v1", kind: "Service", metadata, spec } as WatchedObject;
}

Deno.test("replacementOf() makes a Service anew whose load balancer somebody else shall make, and no other one", () => {
  const balanced = (loadBalancerClass?: string) => ({
    type: "LoadBalancer",
    ...(loadBalancerClass && { loadBalancerClass }),
  });
  const replaced = (wanted: object, found: WatchedObject) => replacementOf(service(wanted), found).length === 1;
  expect(replaced(balanced("a"), service(balanced()))).toBe(true);
  expect(replaced(balanced("a"), service(balanced("b")))).toBe(true);
  expect(replaced(balanced("a"), service(balanced("a")))).toBe(false);
  // Nobody asks for one: it goes if we had asked, and stays if the platform has set it.
  expect(replaced(balanced(), service(balanced("a"), { "f:loadBalancerClass": {} }))).toBe(true);
  expect(replaced(balanced(), service(balanced("a"), { "f:type": {} }))).toBe(false);
  // It can be given to one that becomes a load balancer, and goes with one that does not stay one.
  expect(replaced(balanced("a"), service({ type: "ClusterIP" }))).toBe(false);
  expect(replaced({ type: "ClusterIP" }, service(balanced("a"), { "f:loadBalancerClass": {} }))).toBe(false);
});

Deno.test("replacementOf() makes a Service anew that gets or loses its address", () => {
  expect(replacementOf(service({ clusterIP: "None" }), service({ clusterIP: "10.0.0.9" }))).toHaveLength(1);
  expect(replacementOf(service({}), service({ clusterIP: "None" }))).toHaveLength(1);
  expect(replacementOf(service({}), service({ clusterIP: "10.0.0.9" }))).toEqual([]);
  expect(replacementOf(service({}), undefined)).toEqual([]);
});
