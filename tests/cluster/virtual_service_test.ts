import { expect } from "expect";
import type { VirtualServiceStatus } from "../../src/api/virtual_service/mod.ts";
import { eventually, type Fields, freePort } from "../envoy/harness/mod.ts";
import { XdsClient } from "../standalone/xds_client.ts";
import { clientAddress, podAddress, startDatagramStream, startEchoServer } from "../virtual_service/harness/mod.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { runPod } from "./discovery_service/run_pod.ts";
import { openSite, type Site } from "./discovery_service/site.ts";

const DEADLINE_MS = 40_000;

async function patch(site: Site, path: string, content: Fields): Promise<unknown> {
  return await site.cluster.request("PATCH", path, content, "application/merge-patch+json");
}

function virtualService(name: string, spec: Fields, metadata: Fields = {}): Fields {
  return { apiVersion: "servicemesh.l7mp.io/v1", kind: "VirtualService", metadata: { name, ...metadata }, spec };
}

function udp(name: string, { port, endpoints }: { port: number; endpoints: readonly Fields[] }): Fields {
  return {
    name,
    udp: { port, cluster: { name: `${name}-cluster`, service_discovery: "strictdns", hash_key: "k", endpoints } },
  };
}

clusterTest(
  "VirtualServices of a cluster reach the Envoys of their pods, follow their labels, and say what came of them",
  async () => {
    await using site = await openSite();
    const { namespace, cluster } = site;
    const services = `/apis/servicemesh.l7mp.io/v1/namespaces/${namespace}/virtualservices`;
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const [listening, answering] = [freePort(), freePort()];
    await using _worker = await startEchoServer({ name: "worker", address: podAddress(91), port: answering });
    const ingress = await runPod(site, "ingress", {
      labels: { app: "envoy-ingress", tier: "edge" },
      ip: podAddress(90),
    });
    await runPod(site, "worker", { labels: { app: "worker" }, ip: podAddress(91) });
    const other = await runPod(site, "other", { labels: { app: "other" }, ip: podAddress(92) });

    const [a, b] = [site.replica("mesh-a"), site.replica("mesh-b")];
    await Promise.all([a.start(), b.start()]);
    const envoy = await site.envoy(ingress, [a]);
    const status = async (name: string) =>
      ((await cluster.request("GET", `${services}/${name}`)) as { status?: VirtualServiceStatus }).status ?? {};
    const statusLike = async (name: string, wanted: Fields) =>
      await eventually(async () => {
        expect(await status(name)).toMatchObject(wanted);
        return true;
      }, { what: `the status of ${name}`, deadlineMs: DEADLINE_MS });

    // a pod that nothing selects gets an answer at once, so that its Envoy is ready long before its patience ends
    await eventually(() => envoy.ready(), { what: "an Envoy without anything to be ready" });

    const endpoints = [{ name: "w", host: { selector: { app: "worker" } }, port: answering }];
    const listeners = [udp("rtp", { port: listening, endpoints })];
    const selector = { app: "envoy-ingress", tier: "edge" };
    await site.apply(virtualService("rtp", { selector, listeners }, { finalizers: ["l7mp.io/delete"] }));
    await using stream = await startDatagramStream({ port: listening, clients: [clientAddress(90)] });
    await stream.flows(10);
    await statusLike("rtp", { observedGeneration: 1, pods: 1, nodes: { served: 1, accepted: 1, rejected: 0 } });

    // all labels must match
    await patch(site, `${pods}/ingress`, { metadata: { labels: { tier: "core" } } });
    const listenerNames = async () =>
      (await envoy.admin("/listeners")).split("\n").filter((line) => line.includes("rtp"));
    await eventually(async () => (await listenerNames()).length === 0, {
      what: "the listener to go",
      deadlineMs: DEADLINE_MS,
    });
    await statusLike("rtp", { pods: 0, nodes: { served: 0 } });
    await patch(site, `${pods}/ingress`, { metadata: { labels: { tier: "edge" } } });
    const back = await stream.flows(10);
    await stream.flows(5);
    const steady = stream.mark();
    expect(stream.answeredBy(back).size).toBe(1);

    // one that Envoy refuses disturbs no other, and shows in its words; its client is known to the other replica, too
    const taken = Deno.listen({ hostname: "0.0.0.0", port: 0 });
    using _taken = taken;
    const bad = {
      name: "bad",
      tcp: { port: (taken.addr as Deno.NetAddr).port, cluster: udp("bad", { port: 1, endpoints }).udp },
    };
    (bad.tcp as Fields)["cluster"] = { name: "bad-cluster", service_discovery: "eds", endpoints };
    await site.apply(virtualService("bad", { selector: { app: "envoy-ingress" }, listeners: [bad] }));
    await statusLike("bad", {
      nodes: { served: 1, accepted: 0, rejected: 1 },
      rejections: [{ resource: `listener "bad"`, message: expect.stringContaining("cannot bind") }],
    });
    await statusLike("rtp", { nodes: { served: 1, accepted: 1, rejected: 0 } });
    await stream.flows(5);
    await stream.answered(steady);

    // an Envoy at the other replica counts, too
    await using far = new XdsClient(b.xdsPort, { node: other, tls: await site.clientTls() });
    await patch(site, `${pods}/other`, { metadata: { labels: { app: "envoy-ingress", tier: "edge" } } });
    expect([...(await far.next("LDS", DEADLINE_MS)).names].sort()).toEqual(["bad", "rtp"]);
    await statusLike("rtp", { pods: 2, nodes: { served: 2, accepted: 2, rejected: 0 } });

    // the last endpoint goes, too, and comes back
    await patch(site, `${pods}/worker/status`, {
      status: { conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-01T00:00:01Z" }] },
    });
    await eventually(async () => !(await envoy.configDump()).includes(podAddress(91)), {
      what: "the last endpoint to go",
      deadlineMs: DEADLINE_MS,
    });
    await statusLike("rtp", {
      conditions: expect.arrayContaining([expect.objectContaining({ reason: "EndpointsNotFound" })]),
    });

    // a finalizer of the original holds nothing up
    await cluster.request("DELETE", `${services}/rtp`);
    await eventually(async () => (await listenerNames()).length === 0, {
      what: "the listener to go",
      deadlineMs: DEADLINE_MS,
    });
    await eventually(
      async () =>
        await cluster.request("GET", `${services}/rtp`).then(() => false, (error) => /: 404 /.test(String(error))),
      { what: "the VirtualService to be gone", deadlineMs: DEADLINE_MS },
    );
    const events = await cluster.request(
      "GET",
      `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name=bad`,
    );
    expect(JSON.stringify(events)).toContain("cannot bind");
    await Promise.all([a.stop(), b.stop()]);
  },
);
