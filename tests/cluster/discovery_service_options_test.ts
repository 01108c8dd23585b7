import { expect } from "expect";
import { envoyConfig, freePort, httpGet, listener } from "../envoy/harness/mod.ts";
import { chancery } from "../standalone/chancery.ts";
import { XdsClient } from "../standalone/xds_client.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { openSite, RULES } from "./discovery_service/site.ts";
import { TcpProxy } from "./tcp_proxy.ts";

function inbound(text: string) {
  return listener("in", { port: 10000, routes: { text } });
}

clusterTest(
  "W4: with --node-id-from-certificate a client gets the node ids that its certificate names, and no others",
  async () => {
    await using site = await openSite();
    const replica = site.replica("xds-0", { args: ["--node-id-from-certificate"] });
    await replica.start();
    await site.configure("edge", [inbound("for edge")]);
    await site.configure("shop", [inbound("for shop")]);
    const tls = { ca: site.authority.cert, ...await site.authority.issue({ commonName: "pod-1", dns: ["edge"] }) };
    await using own = new XdsClient(replica.xdsPort, { node: "edge", tls });
    expect((await own.next("LDS")).bytes).toContain("for edge");
    await using foreign = new XdsClient(replica.xdsPort, { node: "shop", tls });
    await expect(foreign.next("LDS")).rejects.toThrow(
      `The client certificate does not name node id "shop", only "edge", "pod-1"`,
    );
    expect(replica.logged("Stream ended because of what it asked").length).toBe(1);
    expect(own.broken).toBeUndefined();
    await replica.stop();
  },
);

clusterTest(
  "W27, A9: a replica is ready only once it knows everything and serves, and says what is missing",
  async () => {
    await using site = await openSite();
    const kubeconfig = await site.cluster.serviceAccount(
      site.namespace,
      "too-little",
      RULES.filter(({ resources }) => !resources?.includes("secrets")),
    );
    await site.configure("edge", [inbound("hello")]);
    const blind = site.replica("blind", { kubeconfig });
    await blind.start({ wait: false });
    const { body } = await blind.wait("a word about Secrets", async () => {
      const answer = await blind.probe("/readyz");
      return answer.body.includes("Secret") && answer;
    });
    expect(body).toContain("not ready\nthe API server is being asked");
    expect(body).toMatch(/watch of Secret in namespace "xds-\w+": .*forbidden/);
    expect((await blind.probe("/healthz")).status).toBe(200);
    await expect(Deno.connect({ hostname: "127.0.0.1", port: blind.xdsPort })).rejects.toThrow();
    await blind.stop();

    await using network = new TcpProxy(site.cluster.server);
    network.mode = "hole";
    const seeing = site.replica("seeing", { server: network.address });
    await seeing.start({ wait: false });
    await seeing.wait("a word about the API server", async () => {
      return (await seeing.probe("/readyz")).body.startsWith("not ready\nthe API server is being asked");
    });
    network.mode = "forward";
    network.cut();
    await seeing.ready();
    const client = await Deno.connect({ hostname: "127.0.0.1", port: seeing.xdsPort });
    client.close();
    expect((await seeing.status()).nodes).toMatchObject([{ nodeId: "edge", revision: expect.any(String) }]);

    // An Envoy that does not answer holds up the end, not the word about it, and not the next leader.
    const envoy = await site.envoy("edge", [seeing]);
    await seeing.wait("its stream", async () => (await seeing.streams("edge")).length === 1);
    envoy.process.signal("SIGSTOP");
    seeing.process.signal("SIGTERM");
    await seeing.wait("the word", async () => {
      const { status, body } = await seeing.probe("/readyz");
      return status === 503 && body.includes("shutting down");
    });
    const leader = [
      "get",
      "lease",
      "chancery-discovery-service",
      "-n",
      site.namespace,
      "-o",
      "jsonpath={.spec.holderIdentity}",
    ];
    await seeing.wait("the Lease to be free", async () => (await site.cluster.kubectl(leader)).stdout === "");
    expect(seeing.process.ended).toBeUndefined();
    await seeing.wait("its end", () => seeing.process.ended);
    expect(seeing.process.ended?.code).toBe(0);
    envoy.process.signal("SIGCONT");
  },
);

clusterTest(
  "several namespaces are served side by side, and chancery status asks a pod as it asks a standalone",
  async () => {
    await using site = await openSite();
    const other = await site.cluster.namespace("xds");
    const unwatched = await site.cluster.namespace("xds");
    const kubeconfig = site.cluster.kubeconfig;
    const replica = site.replica("xds-0", { kubeconfig, namespaces: [site.namespace, other] });
    await replica.start();
    const config = (namespace: string, nodeId: string) => {
      const object = envoyConfig(nodeId, [inbound(nodeId)]);
      return { ...object, metadata: { name: nodeId, namespace } };
    };
    await site.cluster.apply([config(site.namespace, "one"), config(other, "two"), config(unwatched, "three")]);
    const tls = await site.clientTls();
    for (const node of ["one", "two"]) {
      await using client = new XdsClient(replica.xdsPort, { node, tls, pod: `pod-of-${node}` });
      expect((await client.next("LDS")).bytes).toContain(node);
      await replica.wait("the count", async () =>
        (await replica.metrics()).includes(
          `marin3r_xdss_discovery_ack_total{node_id="${node}",resource_type="type.googleapis.com/envoy.config.listener.v3.Listener",pod_name="pod-of-${node}"} 1`,
        ));
    }
    const told = await chancery("status", "--server", `127.0.0.1:${replica.adminPort}`, "-o", "name");
    expect(told).toMatchObject({ code: 0, stdout: [`${site.namespace}/one`, `${other}/two`].sort().join("\n") + "\n" });
    const metrics = await replica.metrics();
    for (
      const line of [
        "chancery_leading 1",
        "chancery_replicas_live 1",
        "chancery_ready 1",
        "chancery_work_queue_failing 0",
        'chancery_snapshot_resources{resource_type="LDS"} 2',
        `chancery_watch_current{kind="EnvoyConfig",namespace="${other}"} 1`,
      ]
    ) expect(metrics).toContain(line);
    expect((await httpGet({ port: replica.metricsPort }, "/status")).status).toBe(404);
    await replica.stop();
  },
);

Deno.test("chancery discovery-service tells at once what cannot work", async () => {
  const port = String(freePort());
  const common = ["discovery-service", "--kubeconfig", "/nowhere", "--metrics-bind-address", "0"];
  for (
    const [args, message] of [
      [["--ca-certificate-path", "/nowhere"], `neither ca.crt nor tls.crt in "/nowhere"`],
      [["--insecure-xds", "--watch-namespace", "Shop"], `Cannot watch namespace "Shop"`],
      [["--insecure-xds", "--replica-name", "a_b"], `Cannot use replica name "a_b"`],
      [["--insecure-xds", "--lease-duration", "5s"], "the renew deadline must be shorter than the duration"],
      [["--insecure-xds", "--xdss-port", port], `"/nowhere"`],
    ] as const
  ) {
    const { code, stderr } = await chancery(...common, ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
