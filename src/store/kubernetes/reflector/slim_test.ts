import { expect } from "expect";
import { slim, slimSecret, whole } from "./slim.ts";

const META = { name: "a", namespace: "demo", uid: "u", resourceVersion: "1", labels: { x: "y" } };
const LAST_APPLIED = { "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"key":"canary"}}' };

Deno.test("of a Secret nothing is kept but its metadata, without the copy that kubectl leaves in it", () => {
  const metadata = { ...META, managedFields: [{}], annotations: { ...LAST_APPLIED, note: "1" } };
  const secret = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata, data: { key: "canary" } };
  const kept = slim(secret, { apiVersion: "v1", kind: "Secret", plural: "secrets" });
  expect(kept).toEqual({ apiVersion: "v1", kind: "Secret", metadata: META });
  expect(JSON.stringify(kept)).not.toContain("canary");
});

Deno.test("of a Secret that is needed the content is kept, once", () => {
  const metadata = { ...META, managedFields: [{}], annotations: LAST_APPLIED };
  const resource = { apiVersion: "v1", kind: "Secret", plural: "secrets" };
  const kept = slimSecret(whole({ metadata, type: "Opaque", data: { key: "canary" } }, resource));
  expect(kept).toEqual({ apiVersion: "v1", kind: "Secret", metadata: META, type: "Opaque", data: { key: "canary" } });
});

Deno.test("of a slice only what endpoints are made of is kept", () => {
  const slice = {
    metadata: META,
    addressType: "IPv4",
    endpoints: [{
      addresses: ["1.2.3.4"],
      conditions: { ready: true },
      zone: "z",
      nodeName: "n",
      targetRef: { name: "p" },
    }],
    ports: [{ name: "http", port: 80 }],
  };
  const resource = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", plural: "endpointslices" };
  expect(slim(slice, resource)).toEqual({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: META,
    addressType: "IPv4",
    endpoints: [{ addresses: ["1.2.3.4"], conditions: { ready: true }, zone: "z" }],
    ports: [{ name: "http", port: 80 }],
  });
});

Deno.test("other objects keep their content and the annotations of people", () => {
  const resource = { apiVersion: "x/v1", kind: "Sample", plural: "samples" };
  const metadata = { ...META, annotations: { ...LAST_APPLIED, note: "1" }, managedFields: [{}] };
  const kept = slim({ metadata, spec: { size: 1 } }, resource);
  expect(kept).toEqual({
    apiVersion: "x/v1",
    kind: "Sample",
    metadata: { ...META, annotations: { note: "1" } },
    spec: { size: 1 },
  });
  expect(Object.isFrozen(kept.spec)).toBe(true);
  expect(whole({ metadata, spec: {} }, resource).metadata.managedFields).toEqual([{}]);
  expect(slim({ metadata: { name: "n" } }, { ...resource, clusterScoped: true }).metadata.namespace).toBe("");
});

Deno.test("who set which field is kept where it is asked for", () => {
  const resource = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" };
  const managedFields = [{ manager: "chancery", operation: "Apply" }];
  const deployment = { metadata: { ...META, managedFields }, spec: {} };
  expect(slim(deployment, { ...resource, keepManagedFields: true }).metadata.managedFields).toEqual(managedFields);
  expect(slim(deployment, resource).metadata.managedFields).toBeUndefined();
});
