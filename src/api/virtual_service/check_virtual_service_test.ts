import { expect } from "expect";
import fc from "fast-check";
import { testCases } from "../../../tests/golden/cases.ts";
import { formatFinding, hasErrors } from "../../base/mod.ts";
import { readVirtualService } from "./check_virtual_service.ts";

testCases(new URL("./testdata", import.meta.url), {
  name: "readVirtualService()",
  run(input) {
    const { virtualService, places, findings } = readVirtualService(input, { staticClusters: ["xds_cluster"] });
    return {
      accepted: virtualService !== undefined && !hasErrors(findings),
      ...(virtualService ? { served: places } : {}),
      findings: findings.map(formatFinding),
    };
  },
});

Deno.test("readVirtualService() takes any value without throwing, and finds something or gives an object", () => {
  const entry = fc.record({ name: fc.jsonValue(), udp: fc.jsonValue() }, { requiredKeys: [] });
  const spec = fc.record({ selector: fc.jsonValue(), listeners: fc.array(fc.oneof(fc.jsonValue(), entry)) });
  fc.assert(fc.property(fc.jsonValue(), fc.oneof(fc.jsonValue(), spec), (metadata, spec) => {
    const { virtualService, places, findings } = readVirtualService({ metadata, spec });
    expect(virtualService !== undefined || hasErrors(findings)).toBe(true);
    expect(places.length).toBe(virtualService?.spec.listeners?.length ?? 0);
  }));
});

Deno.test("readVirtualService() stops telling after a bounded number of findings", () => {
  const listeners = Array.from({ length: 10_000 }, () => ({ nam: "a" }));
  const { findings } = readVirtualService({ metadata: { name: "a" }, spec: { selector: { a: "b" }, listeners } });
  expect(findings.length).toBe(1001);
  expect(findings.at(-1)?.message).toBe("checking stopped after 1000 problems");
});

Deno.test("readVirtualService() has no nulls in what is served", () => {
  const cluster = { name: "c", service_discovery: "eds", health_check: null, endpoints: [] };
  const { virtualService } = readVirtualService({
    metadata: { name: "a", labels: null },
    spec: { selector: { a: "b", c: null }, listeners: [{ name: "l", udp: null, tcp: { port: 1, cluster } }] },
  });
  expect(virtualService).toEqual({
    metadata: { name: "a" },
    spec: {
      selector: { a: "b" },
      listeners: [{ name: "l", tcp: { port: 1, cluster: { name: "c", service_discovery: "eds", endpoints: [] } } }],
    },
  });
});
