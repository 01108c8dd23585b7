/** Examples in which an Envoy has nothing but listeners, routes and filters. */
import { expect } from "expect";
import { httpGet, startUpstream } from "../../envoy/harness/mod.ts";
import { Example } from "../example.ts";
import type { Scene } from "./check.ts";

/** S1 */
export async function directResponse({ chancery }: Scene): Promise<void> {
  await using example = await Example.open("direct-response", chancery);
  await example.answers(10_000, "Hello from Envoy");
  const { cacheState, publishedVersion, desiredVersion } = await example.state();
  expect(cacheState).toBe("InSync");
  expect(publishedVersion).toBe(desiredVersion);
  await example.wait("one of one clients", async () => {
    const { clients } = (await chancery.history(example.config)).config;
    return clients?.connected === 1 && clients.accepted === 1;
  });
}

/** S2 */
export async function pathRouting({ chancery }: Scene): Promise<void> {
  await using a = startUpstream("a");
  await using b = startUpstream("b");
  await using example = await Example.open("path-routing", chancery, {
    instead: {
      "address: path-routing-a, port_value: 80 ": `address: 127.0.0.1, port_value: ${a.port} `,
      "address: path-routing-b, port_value: 80 ": `address: 127.0.0.1, port_value: ${b.port} `,
    },
    ports: { [a.port]: a.port, [b.port]: b.port },
  });
  await example.answers(8080, "a", "/a");
  expect((await httpGet({ port: example.port(8080) }, "/b")).status).toBe(404);
  example.apply(1);
  await example.answers(8080, "b", "/b");
  await example.answers(8080, "a", "/a");
  expect(await example.envoy.stat("listener_manager.listener_modified")).toBe(0);
}

/** S12 */
export async function extensionConfig({ chancery }: Scene): Promise<void> {
  await using upstream = startUpstream("from the upstream");
  await using example = await Example.open("extension-config", chancery, { ports: { 8080: upstream.port } });
  await example.answers(10_000, "from the upstream");
  expect(await example.envoy.stat("listener_manager.total_listeners_active")).toBe(1);
  expect(await example.envoy.admin("/config_dump?resource=ecds_filters")).toContain("router.v3.Router");
}

/** S18 */
export async function discoveredRoutes({ chancery }: Scene): Promise<void> {
  await using example = await Example.open("discovered-routes", chancery);
  const stamp = async () => (await httpGet({ port: example.port(10_000) })).headers.get("x-stamp");
  await example.answers(10_000, "Hello");
  expect(await stamp()).toBe("one");
  example.apply(1);
  await example.answers(10_000, "Hello again");
  await example.wait("the other stamp", async () => await stamp() === "two");
  expect(await example.envoy.stat("listener_manager.listener_modified")).toBe(0);
}
