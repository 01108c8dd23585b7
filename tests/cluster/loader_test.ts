import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import { eventually, freePort, httpGet, startLoad, startUpstream } from "../envoy/harness/mod.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { openLoaderScene } from "./loader/scene.ts";
import * as xds from "./loader/xds.ts";

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
