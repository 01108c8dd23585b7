import { expect } from "expect";
import type { Metrics } from "../../telemetry/mod.ts";
import { collectUnverified } from "./node_status.ts";

Deno.test("S1: clients that say they verify nobody are counted by node id, those that say nothing are not", () => {
  const client = (says?: string) => {
    const metadata = new Map(says === undefined ? [] : [["verifies_discovery_service", says]]);
    return { info: { node: { id: "", cluster: "", userAgent: "", metadata } } };
  };
  const nodes = [
    { id: "edge", streams: [client("false"), client("false"), client("true"), client(), { info: undefined }] },
    { id: "safe", streams: [client("true"), client("maybe")] },
    { id: "nobody", streams: [] },
  ];
  const lines: unknown[] = [];
  const metrics: Metrics = {
    ...{ count() {}, observe() {}, clear() {} },
    set: (name, labels, value) => lines.push([name, labels, value]),
  };
  collectUnverified(metrics, nodes);
  expect(lines).toEqual([["chancery_xds_unverified_clients", { node_id: "edge" }, 2]]);
});
