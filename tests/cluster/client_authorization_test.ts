import { expect } from "expect";
import { namespaceUri, nodeIdUri } from "../../src/api/operator/mod.ts";
import { envoyConfig, eventually, freePort, httpGet, listener } from "../envoy/harness/mod.ts";
import { chancery } from "../standalone/chancery.ts";
import { XdsClient } from "../standalone/xds_client.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { openSite, type Site } from "./discovery_service/site.ts";

function inbound(text: string, port = 10000) {
  return listener("in", { port, routes: { text } });
}

/** What a client of its own shows. */
async function clientTls({ authority }: Site, commonName: string, uris: readonly string[]) {
  return { ca: authority.cert, ...await authority.issue({ commonName, uris }) };
}

clusterTest(
  "W4, I17: with --client-authorization=Namespace an Envoy of the namespace is served, and none of another one",
  async () => {
    await using site = await openSite();
    const replica = site.replica("xds-0", { args: ["--client-authorization=Namespace"] });
    await replica.start();
    const port = freePort();
    await site.configure("edge", [inbound("for edge", port)]);
    const own = await site.authority.issue({ commonName: "pod-1", uris: [namespaceUri(site.namespace)] });
    const foreign = await site.authority.issue({
      // all its other names say what they like
      ...{ commonName: namespaceUri(site.namespace), dns: ["edge", namespaceUri(site.namespace)] },
      uris: [namespaceUri("blog"), nodeIdUri("blog", "edge")],
    });
    const refused = await site.envoy("edge", [replica], { certificate: foreign });
    const [told] = await replica.wait("the refusal", () => {
      const lines = replica.logged("Stream ended because of what it asked");
      return lines.length > 0 && lines;
    });
    expect(told!["reason"]).toContain(`The client certificate does not grant node id "edge": it needs`);
    await site.envoy("edge", [replica], { certificate: own });
    const body = await eventually(async () => (await httpGet({ port }, "/")).body, {
      ...{ what: "an answer of the Envoy that is served", deadlineMs: 30_000, explain: () => replica.process.tail(20) },
    });
    expect(body).toContain("for edge");
    expect(await replica.streams("edge")).toHaveLength(1);
    expect(replica.logged("The client has the right to its node id")).toMatchObject([{
      node: "edge",
      by: "namespace",
    }]);
    expect(await refused.admin("/config_dump?resource=dynamic_listeners")).not.toContain("for edge");
    const metrics = await replica.metrics();
    expect(metrics).toContain('chancery_client_rights_total{right="namespace",result="served"} 1');
    expect(metrics).toMatch(/chancery_client_rights_total\{right="none",result="refused"\} [1-9]/);
    await replica.stop();
  },
);

clusterTest(
  "W4, I17: with --client-authorization=NodeID the very node id has to be granted; a warning can do",
  async () => {
    await using site = await openSite();
    const strict = site.replica("xds-0", { args: ["--client-authorization=NodeID"] });
    const warning = site.replica("xds-1", { args: ["--client-authorization=NodeID", "--client-authorization-warn"] });
    await Promise.all([strict.start(), warning.start()]);
    const config = envoyConfig("shop:a", [inbound("for shop")]);
    await site.apply({ ...config, metadata: { name: "shop" } });
    const exact = await clientTls(site, "pod-1", [nodeIdUri(site.namespace, "shop:a")]);
    const broad = await clientTls(site, "pod-2", [namespaceUri(site.namespace)]);
    await using served = new XdsClient(strict.xdsPort, { node: "shop:a", tls: exact });
    expect((await served.next("LDS")).bytes).toContain("for shop");
    await using refused = new XdsClient(strict.xdsPort, { node: "shop:a", tls: broad });
    await expect(refused.next("LDS")).rejects.toThrow(
      `it needs "${nodeIdUri(site.namespace, "shop:a")}", and has "${namespaceUri(site.namespace)}"`,
    );
    await expect(refused.next("LDS")).rejects.toThrow("7 PERMISSION_DENIED");
    await using warned = new XdsClient(warning.xdsPort, { node: "shop:a", tls: broad });
    expect((await warned.next("LDS")).bytes).toContain("for shop");
    expect(warning.logged("The client has no right to its node id")).toMatchObject([{
      ...{ level: "warn", node: "shop:a", certificate: "CN=pod-2" },
      reason: expect.stringContaining("does not grant"),
    }]);
  },
);

Deno.test("--client-authorization wants one namespace that is served, and one of its words", async () => {
  const common = ["discovery-service", "--kubeconfig", "/nowhere", "--metrics-bind-address", "0", "--insecure-xds"];
  for (
    const [args, message] of [
      [["--client-authorization=Namespace"], "a certificate is good for one namespace, and all are served"],
      [["--client-authorization=NodeID", "--watch-namespace", "a,b"], "and 2 are served (--watch-namespace)"],
      [["--client-authorization=nodeid"], "NodeID"],
    ] as const
  ) {
    const { code, stderr } = await chancery(...common, ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
