import { expect } from "expect";
import { answerOf } from "../answer.ts";
import type { AdmissionRequest } from "../review.ts";
import { reviewBy } from "../reviewer.ts";
import { virtualServiceReviewer } from "./reviewer.ts";

const RESOURCE = { group: "servicemesh.l7mp.io", version: "v1", resource: "virtualservices" };

function listener(name: string, more: object = {}, cluster: object = {}): object {
  const endpoints = [{ name: "e", host: { address: "127.0.0.1" }, port: 1234 }];
  return {
    name,
    udp: { port: 2000, cluster: { name, service_discovery: "strictdns", endpoints, ...cluster } },
    ...more,
  };
}

function virtualService(...listeners: object[]): object {
  return { metadata: { name: "a", namespace: "demo" }, spec: { selector: { app: "worker" }, listeners } };
}

function ask(request: Partial<AdmissionRequest>) {
  const operation = request.oldObject ? "UPDATE" : "CREATE";
  const base = { uid: "u", subResource: "", namespace: "demo", name: "a", dryRun: false, operation };
  const verdict = reviewBy(virtualServiceReviewer(), { ...base, resource: RESOURCE, ...request });
  const { allowed, status, warnings } = answerOf("u", verdict).response;
  return { allowed, ...(status && { message: status.message }), ...(warnings && { warnings }) };
}

Deno.test("a good VirtualService passes, and what is likely wrong comes back as warnings", () => {
  expect(ask({ object: virtualService(listener("a")) })).toEqual({ allowed: true });
  const quick = listener("a", {}, { hash_key: "", health_check: { interval: 100, protocol: "TCP" } });
  const { allowed, warnings } = ask({ object: virtualService(quick) });
  expect([allowed, warnings]).toEqual([true, [
    "spec.listeners[0].udp.cluster.hash_key: with an empty hash_key each session goes to an endpoint at random; leave it out or give a key",
    "spec.listeners[0].udp.cluster.health_check.interval: health checks every 100 ms are more often than the usual 500 ms",
    "spec.listeners[0].udp.cluster.endpoints[0]: health checks go to TCP port 1234, since health_check_port is not set",
  ]]);
});

Deno.test("all that is wrong with a VirtualService comes in one refusal", () => {
  const both = listener("b", { tcp: { port: 1, cluster: { name: "c", service_discovery: "eds", endpoints: [] } } });
  expect(ask({ object: virtualService(listener("a"), both, listener("a")) })).toEqual({
    allowed: false,
    message: "Cannot serve the VirtualService: spec.listeners[1]: exactly one of udp and tcp must be set, not both; " +
      "spec.listeners[1].udp.port: UDP port 2000 is taken by listeners[0]; " +
      'spec.listeners[2].name: listener name "a" is taken by listeners[0]; ' +
      "spec.listeners[2].udp.port: UDP port 2000 is taken by listeners[0]",
  });
});

Deno.test("what a VirtualService already held is not held against it, what is new is", () => {
  const broken = listener("x", {}, { endpoints: [{ name: "e", port: 1 }] });
  const before = virtualService(broken);
  const repaired = virtualService(
    { name: "ok", tcp: { port: 1, cluster: tcpCluster() } },
    broken,
  );
  expect(ask({ object: repaired, oldObject: before })).toEqual({
    allowed: true,
    warnings: ["spec.listeners[1].udp.cluster.endpoints[0]: selector or address must be set in host"],
  });
  const worse = virtualService(broken, { name: "none" });
  expect(ask({ object: worse, oldObject: before })).toMatchObject({
    allowed: false,
    message: "Cannot serve the VirtualService: spec.listeners[1]: exactly one of udp and tcp must be set",
  });
});

Deno.test("W31: a VirtualService that is deleted, or whose spec stays as it is, passes whatever is in it", () => {
  const bad = virtualService({ name: "none" }) as { metadata: object };
  expect(ask({ object: bad, oldObject: bad })).toEqual({ allowed: true });
  expect(ask({ operation: "DELETE" })).toEqual({ allowed: true });
  const ending = { ...bad, metadata: { ...bad.metadata, deletionTimestamp: "2026-01-02T03:04:05Z" } };
  expect(ask({ object: ending, oldObject: virtualService() })).toEqual({ allowed: true });
  expect(ask({ object: bad, subResource: "status" })).toEqual({ allowed: true });
});

function tcpCluster(): object {
  return { name: "t", service_discovery: "eds", endpoints: [{ name: "e", host: { selector: { a: "b" } }, port: 1 }] };
}
