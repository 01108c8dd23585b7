import { expect } from "expect";
import { eventually, freePort, httpGet, listener } from "../envoy/harness/mod.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { openSite } from "./discovery_service/site.ts";

clusterTest("an EnvoyConfig that is applied is served to an Envoy by mutual TLS, and its status says so", async () => {
  await using site = await openSite();
  const port = freePort();
  const replica = site.replica("xds-0");
  await replica.start();
  const envoy = await site.envoy("edge", [replica]);
  await site.configure("edge", [listener("in", { port, routes: { text: "hello" } })]);
  const { body } = await eventually(() => httpGet({ port }), {
    what: "the first answer",
    explain: () => `${replica.process.tail()}\n${envoy.process.tail()}`,
  });
  expect(body).toBe("hello");
  await replica.wait("the status", async () => (await site.statusOf("edge"))["cacheState"] === "InSync");
  await replica.stop();
});
