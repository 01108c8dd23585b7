import { expect } from "expect";
import { dropNulls } from "./drop_nulls.ts";
import { EndpointSlice } from "./endpoint_slice.ts";
import { EnvoyConfigSpec } from "./envoy_config.ts";

Deno.test("dropNulls() drops what Kubernetes writes as null, at any depth", () => {
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "a", labels: { app: "a", gone: null } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: null, zone: null }],
    ports: null,
    unknown: null,
  };
  expect(dropNulls<unknown>(EndpointSlice, slice)).toEqual({
    ...slice,
    metadata: { name: "a", labels: { app: "a" } },
    endpoints: [{ addresses: ["10.0.0.1"] }],
    ports: undefined,
  });
});

Deno.test("dropNulls() leaves preserved values and untouched objects as they are", () => {
  const item = { type: "cluster", value: { name: null } };
  const spec = { nodeID: "a", resources: [item, { ...item, alias: null }] };
  const dropped = dropNulls<{ resources: unknown[] }>(EnvoyConfigSpec, spec);
  expect(dropped.resources[0]).toBe(item);
  expect(dropped.resources[1]).toEqual(item);
  const clean = { nodeID: "a", resources: [item] };
  expect(dropNulls(EnvoyConfigSpec, clean)).toBe(clean);
});
