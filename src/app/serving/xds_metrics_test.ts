import { expect } from "expect";
import type { Metrics } from "../../telemetry/mod.ts";
import type { StreamInfo } from "../../xds/mod.ts";
import { XdsMetrics } from "./xds_metrics.ts";

const CDS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

function stream(id: string, node: string, pod?: string): StreamInfo {
  const metadata = new Map(pod === undefined ? [] : [["pod_name", pod]]);
  return { id, protocol: "delta", node: { id: node, cluster: "", userAgent: "", metadata }, peer: { address: "x" } };
}

function verdict(accepted: boolean, version: string) {
  return { typeUrl: CDS, accepted, response: { version } };
}

function collected(metrics: XdsMetrics): string[] {
  const lines: string[] = [];
  const note = (name: string, labels: object, value = 1) =>
    lines.push(
      `${name.replace("marin3r_xdss_discovery_", "")} ${Object.values(labels).join(" ").replace(CDS, "CDS")} ${value}`,
    );
  const sink: Metrics = { count: note, set: note, observe: note, clear() {} };
  metrics.collect(sink);
  return lines;
}

Deno.test("W14: requests, acknowledgements and refusals of delta streams are counted, too", () => {
  const metrics = new XdsMetrics();
  const one = stream("1", "edge", "edge-1");
  metrics.opened(one);
  metrics.requested(one, CDS);
  metrics.verdict(one, verdict(true, "v1"));
  metrics.verdict(one, verdict(false, "v2"));
  expect(collected(metrics)).toEqual([
    "requests_total edge CDS edge-1 1",
    "ack_total edge CDS edge-1 1",
    "nack_total edge CDS edge-1 1",
    "info edge CDS edge-1 v1 0",
  ]);
});

Deno.test("W6: what is counted goes with the last stream of a pod", () => {
  const metrics = new XdsMetrics();
  const old = stream("1", "edge", "p");
  const next = stream("2", "edge", "p");
  metrics.opened(old);
  metrics.requested(old, CDS);
  metrics.opened(next);
  metrics.closed(old);
  expect(collected(metrics).length).toBe(3);
  metrics.closed(next);
  expect(collected(metrics)).toEqual([]);
});

Deno.test("W12: nodes and pods whose names begin alike are counted apart", () => {
  const metrics = new XdsMetrics();
  const streams = [stream("1", "web", "a-1"), stream("2", "web-2", "a-1"), stream("3", "web", "a-10")];
  for (const one of streams) {
    metrics.opened(one);
    metrics.requested(one, CDS);
  }
  metrics.closed(streams[0]!);
  expect(collected(metrics).filter((line) => line.startsWith("requests"))).toEqual([
    "requests_total web-2 CDS a-1 1",
    "requests_total web CDS a-10 1",
  ]);
});

Deno.test("W13: a client that does not name its pod is counted as unknown", () => {
  const metrics = new XdsMetrics();
  const one = stream("1", "edge");
  metrics.opened(one);
  metrics.verdict(one, verdict(true, "v1"));
  expect(collected(metrics)).toContain("ack_total edge CDS unknown 1");
});
