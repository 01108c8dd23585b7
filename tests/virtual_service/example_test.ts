import { expect } from "expect";
import { runCaptured } from "../../src/cli/fake_terminal.ts";
import { freePort } from "../envoy/harness/mod.ts";
import { clientAddress, startDatagramStream, startEchoServer, startMesh } from "./harness/mod.ts";

const EXAMPLE = new URL("../../manifests/examples/virtual-service/", import.meta.url);

Deno.test("the example is valid, references included", async () => {
  const { status, out } = await runCaptured(["validate", "--strict", EXAMPLE.pathname]);
  expect([status, out]).toEqual([0, "no findings in 2 Pods, 2 VirtualServices of 2 files\n"]);
});

Deno.test("the example: datagrams go through two Envoys in a row, one with the bootstrap of the original, one with ours", async () => {
  const ports = new Map(["2000", "2001", "1233", "1234"].map((port) => [port, freePort()]));
  const files: Record<string, string> = {};
  for await (const { name } of Deno.readDir(EXAMPLE)) {
    const text = await Deno.readTextFile(new URL(name, EXAMPLE));
    files[name] = text.replaceAll(/\b(2000|2001|1233|1234)\b/g, (port) => String(ports.get(port)));
  }
  await using _program = await startEchoServer({
    name: "program",
    address: "127.0.0.1",
    port: ports.get("1234")!,
    healthPort: ports.get("1233")!,
  });
  await using mesh = await startMesh({
    files,
    envoys: [{ pod: "ingress", uid: "6c6f1b0e-ingress" }, { pod: "worker" }],
  });
  await using stream = await startDatagramStream({
    port: ports.get("2000")!,
    clients: [clientAddress(1), clientAddress(2)],
  });
  const flowing = await stream.flows(25);
  await stream.answered(flowing);
  expect([...stream.answeredBy(flowing).keys()]).toEqual(["program"]);

  // Both Envoys had a part in it, and know nothing of each other's listeners.
  for (const pod of ["ingress", "worker"]) {
    expect(await mesh.envoy(pod).stat(`udp.${pod}.downstream_sess_tx_datagrams`)).toBeGreaterThan(49);
  }
  expect(await mesh.envoy("ingress").clusterNames()).toEqual(["workers", "xds_cluster"]);
  expect(await mesh.envoy("worker").clusterNames()).toEqual(["program", "xds_cluster"]);
  for (const pod of ["ingress", "worker"]) {
    for (const type of ["cluster_manager.cds", "listener_manager.lds"]) {
      expect(await mesh.envoy(pod).stat(`${type}.update_rejected`)).toBe(0);
    }
  }
});
