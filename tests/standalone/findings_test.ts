import { expect } from "expect";
import { envoyConfig, type Fields, listener, tlsSecretItem } from "../envoy/harness/mod.ts";
import { Chancery } from "./chancery.ts";
import { XdsClient } from "./xds_client.ts";

function edge(text: string): Fields[] {
  return [envoyConfig("edge", [listener("in", { port: 10000, routes: { text } })])];
}

Deno.test("a broken file is told with its place, once, and what is served stays", async () => {
  await using server = new Chancery({ "edge.yaml": edge("one") });
  await server.start();
  await using client = new XdsClient(server.xdsPort);
  const listeners = await client.next("LDS");
  expect(listeners.bytes).toContain("one");

  const good = JSON.stringify(edge("two")[0], null, 2);
  server.write("edge.yaml", good.replace('"port_value": 10000', '"port_value": 70000'));
  const findings = await server.wait("the finding", async () => {
    const all = await server.findings();
    return all.length > 0 && all;
  });
  const line = good.split("\n").findIndex((text) => text.includes("port_value")) + 1;
  expect(findings).toEqual([
    expect.objectContaining({
      severity: "error",
      about: "EnvoyConfig/default/edge",
      path: "spec.resources[0].value.address.socket_address.port_value",
      file: `${server.config}/edge.yaml`,
      line,
      column: expect.any(Number),
    }),
  ]);
  await rescan(server);
  await rescan(server);
  const told = () => server.process.lines.filter((one) => one.includes("port_value"));
  expect(told().length).toBe(1);
  expect(client.unread).toBe(0);

  server.write("edge.yaml", "{ this is: [no yaml");
  await server.wait("the other finding", async () => (await server.findings()).some((one) => one["path"] === ""));
  expect(client.unread).toBe(0);

  server.write("edge.yaml", edge("three"));
  expect((await client.next("LDS")).bytes).toContain("three");
  await server.wait("no finding", async () => (await server.findings()).length === 0);
  expect(told().length).toBe(2);
  expect(told()[1]).toContain("Solved: ");
});

async function rescan(server: Chancery): Promise<void> {
  const before = (await server.status())["config"] as Fields; // its schema says so
  server.process.signal("SIGHUP");
  await server.wait("the scan", async () => {
    const now = (await server.status())["config"] as Fields;
    return now["scannedAt"] !== before["scannedAt"];
  });
}

Deno.test("what is missing is told at the place that names it, and solved when it comes", async () => {
  const files = { "edge.yaml": [envoyConfig("edge", [tlsSecretItem("lost")])] };
  await using server = new Chancery(files);
  await server.start();
  const [finding, ...others] = (await server.findings()).filter(({ rule }) => rule !== "unused");
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    severity: "warning",
    about: "EnvoyConfig/default/edge",
    file: `${server.config}/edge.yaml`,
    line: expect.any(Number),
  });
  expect(finding?.["message"]).toContain("lost");
});

const TCP = "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy";

function tcpListener(cluster: string, more: Fields = {}): Fields {
  const filters = [{ name: "tcp", typed_config: { "@type": TCP, stat_prefix: "x", cluster } }];
  const address = { socket_address: { address: "127.0.0.1", port_value: 10000 } };
  return { type: "listener", value: { name: "in", address, filter_chains: [{ filters }], ...more } };
}

Deno.test("names that nobody gives or asks for are warnings with their place, told once, solved once, and stop nothing", async () => {
  const api = { type: "cluster", value: { name: "api", type: "STATIC", connect_timeout: "1s" } };
  await using server = new Chancery({ "edge.yaml": [envoyConfig("edge", [tcpListener("apj"), api])] });
  await server.start();
  await using client = new XdsClient(server.xdsPort);
  expect((await client.next("LDS")).bytes).toContain("apj");
  const about = { severity: "warning", about: "EnvoyConfig/default/edge", file: `${server.config}/edge.yaml` };
  expect(await server.findings()).toEqual([
    expect.objectContaining({
      ...about,
      rule: "dangling",
      path: "spec.resources[0].value.filter_chains[0].filters[0].typed_config.cluster",
      suggestion: "api",
      line: expect.any(Number),
      column: expect.any(Number),
    }),
    expect.objectContaining({ ...about, rule: "unused", path: "spec.resources[1]", line: expect.any(Number) }),
  ]);
  await rescan(server);
  await rescan(server);
  const told = (rule: string) => server.log.filter((line) => line["rule"] === rule).map((line) => line["level"]);
  expect([told("dangling"), told("unused")]).toEqual([["warn"], ["warn"]]);
  server.write("edge.yaml", [envoyConfig("edge", [tcpListener("api"), api])]);
  await server.wait("no finding", async () => (await server.findings()).length === 0);
  expect([told("dangling"), told("unused")]).toEqual([["warn", "info"], ["warn", "info"]]);
});

Deno.test("what Envoy always refuses never gets there: the last good content stays", async () => {
  const far = { type: "cluster", value: { name: "far", type: "STATIC", connect_timeout: "1s" } };
  await using server = new Chancery({ "edge.yaml": [envoyConfig("edge", [tcpListener("far"), far])] });
  await server.start();
  await using client = new XdsClient(server.xdsPort);
  await client.next("CDS");
  await client.next("LDS");
  server.write("edge.yaml", [envoyConfig("edge", [tcpListener("far", { address: undefined }), far])]);
  const finding = await server.wait("the finding", async () => (await server.findings())[0]);
  expect(finding).toMatchObject({ severity: "error", rule: "listener-address", file: `${server.config}/edge.yaml` });
  expect(client.unread).toBe(0);
  server.write("edge.yaml", [envoyConfig("edge", [tcpListener("far", { stat_prefix: "mended" }), far])]);
  expect((await client.next("LDS")).bytes).toContain("mended");
  await server.wait("no finding", async () => (await server.findings()).length === 0);
});

Deno.test("W3: of two EnvoyConfigs with one node id the younger is told that it is not served", async () => {
  await using server = new Chancery({ "a.yaml": edge("one") });
  await server.start();
  const created = Math.floor(Date.now() / 1000); // creation times are whole seconds
  await server.wait("the next second", () => Math.floor(Date.now() / 1000) > created);
  server.write("b.yaml", [envoyConfig("edge", [], "younger")]);
  const finding = await server.wait(
    "the conflict",
    async () => (await server.findings()).find((one) => one["rule"] === "conflict"),
  );
  expect(finding).toMatchObject({
    severity: "error",
    about: "EnvoyConfig/default/younger",
    path: "spec.nodeID",
    file: `${server.config}/b.yaml`,
  });
});

Deno.test("documents of other kinds are counted and skipped", async () => {
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" } };
  await using server = new Chancery({
    "edge.yaml": [...edge("one"), deployment, { ...deployment, metadata: { name: "y" } }],
  });
  await server.start();
  expect(await server.status()).toMatchObject({
    config: { files: 1, objects: 1, skipped: { Deployment: 2 } },
    findings: [],
  });
  expect((await server.get("/metrics")).body).toContain('chancery_directory_skipped{kind="Deployment"} 2\n');
});
