import { expect } from "expect";
import { askSocket } from "../../src/app/admin/mod.ts";
import { envoyConfig, httpGet, listener } from "../envoy/harness/mod.ts";
import { Chancery } from "./chancery.ts";
import { XdsClient } from "./xds_client.ts";

const FILES = { "edge.yaml": [envoyConfig("edge", [listener("in", { port: 10000, routes: { text: "hello" } })])] };

Deno.test("a page of another site learns nothing from the admin interface", async () => {
  await using server = new Chancery(FILES);
  await server.start({ args: ["--admin-host", "admin.demo"] });
  const target = { port: server.adminPort };
  for (const path of ["/status", "/metrics", "/readyz", "/healthz"]) {
    expect((await httpGet(target, path, { host: `rebound.example:${server.adminPort}` })).status).toBe(403);
    expect((await httpGet(target, path, { host: `localhost:${server.adminPort}` })).status).toBe(200);
    expect((await httpGet(target, path, { host: "admin.demo" })).status).toBe(200);
  }
});

Deno.test("rescan works over the socket of the owner only", async () => {
  await using server = new Chancery(FILES);
  await server.start();
  const socket = `${server.data}/admin.sock`;
  expect((await Deno.stat(socket)).mode! & 0o777).toBe(0o600);
  expect((await Deno.stat(server.data)).mode! & 0o077).toBe(0);
  const overTcp = await fetch(`http://127.0.0.1:${server.adminPort}/rescan`, { method: "POST" });
  expect([overTcp.status, await overTcp.text()]).toEqual([403, expect.stringContaining("admin.sock")]);
  server.write("two.yaml", [envoyConfig("two", [])]);
  expect(await askSocket(socket, "/rescan")).toEqual({ answer: { findings: [] } });
  expect(await server.status()).toMatchObject({ nodes: [{ nodeId: "edge" }, { nodeId: "two" }] });
});

Deno.test("status and metrics show who is connected and what was accepted", async () => {
  await using server = new Chancery(FILES);
  await server.start();
  {
    await using client = new XdsClient(server.xdsPort);
    await client.next("LDS");
    const status = await server.wait("the acknowledgement", async () => {
      const { body } = await server.get("/status");
      return /"type":"LDS"[^}]*"accepted"/.test(body) && JSON.parse(body);
    });
    const [{ streams: [stream] }] = status.nodes;
    expect(stream).toMatchObject({ protocol: "delta", peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
    const lds = stream.types.find((type: { type: string }) => type.type === "LDS");
    expect(lds.sent).toBe(lds.accepted);
    const { body } = await server.get("/metrics");
    const labels =
      `node_id="edge",resource_type="type.googleapis.com/envoy.config.listener.v3.Listener",pod_name="unknown"`;
    expect(body).toContain(`marin3r_xdss_discovery_requests_total{${labels}} 1\n`);
    expect(body).toContain(`marin3r_xdss_discovery_ack_total{${labels}} 1\n`);
    expect(body).toContain(`marin3r_xdss_discovery_info{${labels},version="${lds.accepted}"} 0\n`);
    expect(body).toContain('chancery_xds_streams{node_id="edge",protocol="delta"} 1\n');
    expect(body).toContain("chancery_ready 1\n");
  }
  await server.wait("the stream to go", async () => !(await server.get("/metrics")).body.includes("pod_name="));
});
