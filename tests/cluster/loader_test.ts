import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import { eventually, freePort, httpGet, startEnvoy, startLoad, startUpstream } from "../envoy/harness/mod.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { NAME, openLoaderScene } from "./loader/scene.ts";
import * as xds from "./loader/xds.ts";
import { TcpProxy } from "./tcp_proxy.ts";

const DNS = "edge.example.com";

clusterTest("a loader feeds a real Envoy with LDS, CDS, EDS, RDS and SDS from a ConfigMap", async () => {
  await using scene = await openLoaderScene();
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const [plain, tls] = [freePort(), freePort()];
  const authority = await createAuthority();
  const first = await authority.issue({ commonName: "first", dns: [DNS] });
  const { root } = scene;
  const data = {
    "cds.yaml": xds.cds(xds.edsCluster(root, "blue"), xds.edsCluster(root, "green")),
    "eds-blue.yaml": xds.eds("blue", blue.port),
    "eds-green.yaml": xds.eds("green", green.port),
    "lds.yaml": xds.lds(
      xds.listener(root, { name: "plain", port: plain }),
      xds.listener(root, { name: "tls", port: tls, secret: "edge" }),
    ),
    "rds.yaml": xds.rds({ blue: 100, green: 0 }),
    "sds.yaml": xds.sds("edge", first),
  };
  await scene.put(data);
  const loader = scene.start();
  await loader.ready();
  const envoy = await scene.envoy();
  await eventually(() => envoy.ready(), { what: "Envoy to be ready" });
  expect((await httpGet({ port: plain }, "/")).body).toBe("blue");

  await using load = startLoad({ target: { port: plain }, keepAlive: 2, fresh: 1 });
  for (const weight of [25, 50, 75, 100]) {
    const rds = xds.rds({ blue: 100 - weight, green: weight });
    const { requests } = load;
    await scene.put({ ...data, "rds.yaml": rds });
    await loader.wait("the new weights", async () => (await scene.file("rds.yaml")) === rds);
    await loader.wait("more requests", () => load.requests > requests + 50);
  }
  await loader.wait("nothing but green", async () => {
    const before = blue.requests;
    const { requests } = load;
    await eventually(() => load.requests > requests + 30, { what: "30 requests" });
    return blue.requests === before;
  });
  // Endpoints and clusters under the same load.
  const moved = {
    ...data,
    "rds.yaml": xds.rds({ blue: 0, green: 100 }),
    "eds-green.yaml": xds.eds("green", blue.port),
  };
  await scene.put(moved);
  await loader.wait("green to be where blue was", async () => (await httpGet({ port: plain }, "/")).body === "blue");
  const report = await load.stop();
  expect(report).toMatchObject({ failed: 0, failures: [] });

  const second = await authority.issue({ commonName: "second", dns: [DNS] });
  const presented = () => commonName(tls, authority.cert);
  expect(await presented()).toBe("first");
  await scene.put({ ...moved, "sds.yaml": xds.sds("edge", second) });
  await loader.wait("the second certificate", async () => (await presented()) === "second");

  const { code } = await loader.process.stop();
  expect(code).toBe(0);
});

/** Whose certificate the listener shows. */
async function commonName(port: number, ca: string): Promise<string | undefined> {
  const { connect } = await import("node:tls");
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, servername: DNS, ca }, () => {
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      resolve(subject?.CN as string | undefined);
    });
    socket.once("error", reject);
  });
}

clusterTest("L2: a route table that is renamed and a cluster that is replaced lose no request", async () => {
  await using scene = await openLoaderScene();
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const port = freePort();
  const { root } = scene;
  const listener = (routes: string) => xds.lds(xds.listener(root, { name: "plain", port, routes }));
  await scene.put({
    "cds.yaml": xds.cds(xds.staticCluster("blue", blue.port)),
    "lds.yaml": listener("main"),
    "rds.yaml": xds.rds({ blue: 1 }),
  });
  const loader = scene.start(["-configmap", NAME, "-watch", "--removal-delay", "3s"]);
  await loader.ready();
  const envoy = await scene.envoy();
  await eventually(() => envoy.ready(), { what: "Envoy to be ready" });
  await using load = startLoad({ target: { port }, keepAlive: 2, fresh: 1 });
  await loader.wait("some requests", () => load.requests > 50);
  // All at once: another cluster, another name of the route table, another listener; the file of endpoints is new, too.
  await scene.put({
    "cds.yaml": xds.cds(xds.edsCluster(root, "green")),
    "eds-green.yaml": xds.eds("green", green.port),
    "lds.yaml": listener("renamed"),
    "rds.yaml": xds.rds({ green: 1 }, "renamed"),
  });
  await loader.wait("green to answer", () => load.bodies.has("green"));
  await loader.wait("the old cluster to go", async () => (await envoy.clusterNames()).join() === "green");
  const { requests } = load;
  await loader.wait("requests without it", () => load.requests > requests + 50);
  expect(await load.stop()).toMatchObject({ failed: 0, failures: [] });
  // At first, with both clusters, and without the one that nobody can be using any more.
  expect(loader.logged("Put a file in place").filter(({ path }) => path === "cds.yaml")).toHaveLength(3);
});

clusterTest("L3, L4: a bad file never reaches Envoy, and what Envoy refuses is told in its own words", async () => {
  await using scene = await openLoaderScene();
  const [port, taken] = [freePort(), freePort()];
  using _occupied = Deno.listen({ hostname: "127.0.0.1", port: taken });
  const { root } = scene;
  const data = {
    "cds.yaml": xds.cds(xds.staticCluster("blue", 1)),
    "lds.yaml": xds.lds(xds.listener(root, { name: "plain", port })),
    "rds.yaml": xds.rds({ blue: 1 }),
  };
  await scene.put(data);
  expect((await scene.once(["-onetime", "-configmap", NAME])).code).toBe(0);
  const envoy = await scene.envoy();
  await eventually(() => envoy.ready(), { what: "Envoy to be ready" });
  const admin = `http://127.0.0.1:${envoy.adminPort}`;
  const loader = scene.start(["-configmap", NAME, "-watch", "--envoy-admin", admin]);
  await loader.ready();

  await scene.put({ ...data, "cds.yaml": "resources: []" });
  const held = "A file is not fit for Envoy; the last good one stays";
  await loader.wait("the word about it", () => loader.logged(held).length === 1);
  expect(await scene.file("cds.yaml")).toBe(data["cds.yaml"]);
  expect((await loader.probe("/metrics")).body).toContain('chancery_loader_held_files{instead="kept"} 1');
  expect(await envoy.stat("cluster_manager.cds.update_attempt")).toBe(1);

  const changed = { ...data, "cds.yaml": xds.cds(xds.staticCluster("blue", 1), xds.staticCluster("green", 2)) };
  await scene.put(changed);
  await loader.wait("Envoy's consent", () => loader.logged("Envoy accepted").some(({ kind }) => kind === "CDS"));

  await scene.put({
    ...changed,
    "lds.yaml": xds.lds(
      xds.listener(root, { name: "plain", port }),
      xds.listener(root, { name: "extra", port: taken }),
    ),
  });
  await loader.wait("Envoy's refusal", () => loader.logged("Envoy refused a resource").length > 0);
  expect(loader.logged("Envoy refused a resource")[0]).toMatchObject({ resource: "extra" });
  expect(String(loader.logged("Envoy refused a resource")[0]?.["reason"])).toContain("Address already in use");
  expect((await loader.probe("/metrics")).body).toContain(
    'chancery_loader_envoy_answers_total{kind="LDS",answer="refused"} 1',
  );
});

clusterTest("L7: what has not changed is not read again by Envoy, however often it is looked at", async () => {
  await using scene = await openLoaderScene();
  const port = freePort();
  const { root } = scene;
  await scene.put({
    "cds.yaml": xds.cds(xds.staticCluster("blue", 1)),
    "lds.yaml": xds.lds(xds.listener(root, { name: "plain", port })),
    "rds.yaml": xds.rds({ blue: 1 }),
  });
  await using proxy = new TcpProxy(scene.cluster.server);
  const loader = scene.start(["-configmap", NAME, "-sync-interval", "100ms"], proxy.address);
  await loader.ready();
  const envoy = await scene.envoy();
  await eventually(() => envoy.ready(), { what: "Envoy to be ready" });
  const { bytes } = proxy;
  await loader.wait("many rounds", () => proxy.bytes > bytes + 20_000);
  for (const stat of ["cluster_manager.cds", "listener_manager.lds", "http.plain.rds.main"]) {
    expect([stat, await envoy.stat(`${stat}.update_attempt`)]).toEqual([stat, 1]);
  }
});

clusterTest("L2: --layout atomic swaps a consistent set, which Envoy notices with watched_directory", async () => {
  await using scene = await openLoaderScene();
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const port = freePort();
  const { root } = scene;
  const data = (name: string, upstream: number) => ({
    "cds.yaml": xds.cds(xds.edsCluster(root, name, root)),
    [`eds-${name}.yaml`]: xds.eds(name, upstream),
    "lds.yaml": xds.lds(xds.listener(root, { name: "plain", port, watched: root })),
    "rds.yaml": xds.rds({ [name]: 1 }),
  });
  await scene.put(data("blue", blue.port));
  const loader = scene.start(["-configmap", NAME, "-watch", "-layout", "atomic", "-removal-delay", "1s"]);
  await loader.ready();
  const envoy = await scene.envoy(root);
  await eventually(() => envoy.ready(), { what: "Envoy to be ready" });
  expect((await httpGet({ port }, "/")).body).toBe("blue");
  await scene.put(data("green", green.port));
  await loader.wait("green", async () => (await httpGet({ port }, "/")).body === "green");
  await loader.wait("the old cluster to go", async () => (await envoy.clusterNames()).join() === "green");
});

clusterTest("L11: --layout runtime changes values of a disk_layer while Envoy runs", async () => {
  await using scene = await openLoaderScene();
  await scene.put({ "upstream.healthy_panic_threshold": "10" });
  const loader = scene.start(["-configmap", NAME, "-watch", "-runtime-layout"]);
  await loader.ready();
  const layers = [{ name: "disk", disk_layer: { symlink_root: `${scene.root}/current` } }];
  await using envoy = await startEnvoy({ bootstrap: { layered_runtime: { layers } } });
  const value = async () => {
    const { entries } = JSON.parse(await envoy.admin("/runtime")) as {
      entries: Record<string, { final_value: string }>;
    };
    return entries["upstream.healthy_panic_threshold"]?.final_value;
  };
  expect(await value()).toBe("10");
  await scene.put({ "upstream.healthy_panic_threshold": "20" });
  await loader.wait("the new value", async () => (await value()) === "20");
});
