import { expect } from "expect";
import { XdsClient } from "../standalone/xds_client.ts";
import { type Fields, freePort } from "../envoy/harness/mod.ts";
import {
  clientAddress,
  listenerEntry,
  pod,
  startDatagramStream,
  startEchoServer,
  startMesh,
  virtualService,
} from "./harness/mod.ts";

const COUNT = 500;
/** The one that is changed. */
const CHANGED = 250;

Deno.test("of 500 VirtualServices on one pod only the one that is changed travels, and the others go on undisturbed", async () => {
  const ports = Array.from({ length: COUNT }, () => freePort());
  const toPort = freePort();
  await using _server = await startEchoServer({ name: "program", address: "127.0.0.1", port: toPort });
  const service = (number: number, cluster: Fields = {}) =>
    virtualService(`call-${number}`, {
      selector: { app: "ingress" },
      listeners: [listenerEntry(`call-${number}`, { port: ports[number]!, to: ["127.0.0.1"], toPort, cluster })],
    });
  const all = (changed: Fields = {}) => ports.map((_, number) => service(number, number === CHANGED ? changed : {}));
  await using mesh = await startMesh({
    files: {
      "pods.yaml": [pod("ingress", { labels: { app: "ingress" }, address: "127.0.0.1" })],
      "services.yaml": all(),
    },
    envoys: [{ pod: "ingress" }],
  });
  const envoy = mesh.envoy("ingress");
  await mesh.wait(
    `${COUNT} listeners`,
    async () => await envoy.stat("listener_manager.total_listeners_active") === COUNT,
  );
  await using onlooker = new XdsClient(Number(mesh.chancery.xdsAddress.split(":")[1]), {
    node: "onlooker",
    pod: "ingress",
    podNamespace: "default",
  });
  const [clusters, listeners] = [await onlooker.next("CDS"), await onlooker.next("LDS")];
  expect([clusters.resources, listeners.resources]).toEqual([COUNT, COUNT]);
  await using other = await startDatagramStream({ port: ports[0]!, clients: [clientAddress(1)] });
  await using changed = await startDatagramStream({ port: ports[CHANGED]!, clients: [clientAddress(2)] });
  const start = await other.flows();
  await changed.flows();
  const modified = await envoy.stat("listener_manager.listener_modified");

  // A key is part of the listener alone.
  mesh.chancery.write("services.yaml", all({ hash_key: "call-id" }));
  expect(await onlooker.next("LDS")).toMatchObject({ names: [`call-${CHANGED}`], removed: [] });
  await mesh.wait(
    "the changed listener",
    async () => await envoy.stat("listener_manager.listener_modified") === modified + 1,
  );
  await changed.answered(await changed.flows());
  // So are its cluster's options of the cluster.
  mesh.chancery.write(
    "services.yaml",
    all({ hash_key: "call-id", health_check: { interval: 60_000, protocol: "TCP" } }),
  );
  expect(await onlooker.next("CDS")).toMatchObject({ names: [`call-${CHANGED}-cluster`], removed: [] });
  await mesh.wait("the changed cluster", async () => await envoy.stat("cluster_manager.cluster_modified") === 1);
  // One that is taken away goes by its name, and nobody else with it.
  mesh.chancery.write("services.yaml", all().toSpliced(CHANGED, 1));
  const active = () => envoy.stat("listener_manager.total_listeners_active");
  await mesh.wait("one listener less", async () => await active() === COUNT - 1);
  await other.answered(start, other.mark());
  expect(onlooker.unread).toBe(0);
  expect(await envoy.stat("listener_manager.listener_modified")).toBe(modified + 1);
  expect(await envoy.stat("cluster_manager.cluster_modified")).toBe(1);
});
