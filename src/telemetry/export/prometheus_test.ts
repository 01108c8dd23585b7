import { expect } from "expect";
import { METRICS } from "../mod.ts";
import { prometheusMetrics } from "./mod.ts";

Deno.test("prometheusMetrics() offers every metric of the table with its help and type", async () => {
  const text = await prometheusMetrics().text();
  for (const [name, spec] of Object.entries(METRICS)) {
    expect(text).toContain(`# HELP ${name} ${spec.help}\n# TYPE ${name} ${spec.kind}\n`);
  }
});

Deno.test("prometheusMetrics() keeps the names and labels that MARIN3R's dashboards ask for", async () => {
  const prometheus = prometheusMetrics();
  const pod = {
    node_id: "edge",
    resource_type: "type.googleapis.com/envoy.config.cluster.v3.Cluster",
    pod_name: "edge-1",
  };
  const text = await prometheus.text((metrics) => {
    metrics.count("marin3r_xdss_discovery_requests_total", pod);
    metrics.count("marin3r_xdss_discovery_ack_total", pod, 4);
    metrics.count("marin3r_xdss_discovery_nack_total", pod, 2);
    metrics.set("marin3r_xdss_discovery_info", { ...pod, version: "abc" }, 0);
  });
  const labels = `node_id="edge",resource_type="${pod.resource_type}",pod_name="edge-1"`;
  expect(text).toContain(`marin3r_xdss_discovery_requests_total{${labels}} 1\n`);
  expect(text).toContain(`marin3r_xdss_discovery_ack_total{${labels}} 4\n`);
  expect(text).toContain(`marin3r_xdss_discovery_nack_total{${labels}} 2\n`);
  expect(text).toContain(`marin3r_xdss_discovery_info{${labels},version="abc"} 0\n`);
});

Deno.test("prometheusMetrics() drops the series of what went away, and keeps what was counted", async () => {
  const prometheus = prometheusMetrics();
  prometheus.metrics.count("chancery_node_looks_total", { result: "ok" });
  await prometheus.text((metrics) => metrics.set("chancery_xds_streams", { node_id: "gone", protocol: "delta" }, 1));
  const text = await prometheus.text(() => {});
  expect(text).not.toContain("gone");
  expect(text).toContain('chancery_node_looks_total{result="ok"} 1\n');
});

Deno.test("prometheusMetrics() escapes labels that come from outside", async () => {
  const text = await prometheusMetrics().text((metrics) =>
    metrics.set("chancery_xds_streams", { node_id: 'a"}\nb', protocol: "sotw" }, 1)
  );
  expect(text).toContain('chancery_xds_streams{node_id="a\\"}\\nb",protocol="sotw"} 1\n');
});
