import { expect } from "expect";
import { type Fields, freePort } from "../envoy/harness/mod.ts";
import {
  clientAddress,
  listenerEntry,
  pod,
  podAddress,
  sayOverTcp,
  startDatagramStream,
  startEchoServer,
  startMesh,
  virtualService,
} from "./harness/mod.ts";

/** Milliseconds between health checks. */
const INTERVAL = 500;

Deno.test("several VirtualServices share a pod: the older has what both want, and nothing disturbs it; TCP as UDP", async (t) => {
  const [shared, own, toPort, healthPort] = [freePort(), freePort(), freePort(), freePort()];
  await using one = await startEchoServer({ name: "one", address: podAddress(1), port: toPort, healthPort });
  await using _two = await startEchoServer({ name: "two", address: podAddress(2), port: toPort, healthPort });
  const service = (name: string, ...listeners: Fields[]) =>
    virtualService(name, { selector: { app: "ingress" }, listeners });
  const to = { to: [podAddress(1)], toPort };
  const older = service(
    "older",
    listenerEntry("in", { ...to, port: shared }),
    listenerEntry("in-tcp", {
      ...to,
      port: shared,
      protocol: "tcp",
      healthPort,
      interval: INTERVAL,
      to: [podAddress(1), podAddress(2)],
    }),
  );
  const began = Date.now();
  await using mesh = await startMesh({
    files: {
      "older.yaml": [older],
      "pods.yaml": [pod("ingress", { labels: { app: "ingress", zone: "a" }, address: "127.0.0.1" })],
    },
    envoys: [{ pod: "ingress" }],
  });
  await using stream = await startDatagramStream({ port: shared, clients: [clientAddress(1), clientAddress(2)] });
  const start = await stream.flows();
  const findings = async () =>
    (JSON.parse((await mesh.chancery.get("/status")).body) as { findings: { message: string; about: string }[] })
      .findings
      .map(({ about, message }) => `${about}: ${message}`);
  const ports = async () =>
    [...(await mesh.envoy("ingress").admin("/listeners")).matchAll(/0\.0\.0\.0:(\d+)/g)].map(([, port]) =>
      Number(port)
    );

  await t.step("TCP: what is said comes back, and who fails its health check gets no new connection", async () => {
    const both = async () => new Set(await Promise.all(Array.from({ length: 20 }, () => sayOverTcp(shared, "hello"))));
    await mesh.wait("both back ends", async () => (await both()).size === 2);
    await one.failHealthChecks();
    await mesh.wait("only the healthy one", async () => [...await both()].join() === "two|hello");
    await one.comeBack();
    await mesh.wait("both back ends again", async () => (await both()).size === 2);
  });

  await t.step("a younger one goes without what is taken, and is told so", async () => {
    // Ages are told in whole seconds.
    await mesh.wait("another second", () => Math.floor(Date.now() / 1000) > Math.floor(began / 1000) + 1);
    const younger = (name: string) =>
      service(
        "younger",
        listenerEntry(name, { to: [podAddress(2)], toPort, port: shared }),
        listenerEntry("of-its-own", { to: [podAddress(2)], toPort, port: own }),
      );
    mesh.chancery.write("younger.yaml", [younger("other-name")]);
    await mesh.wait("the listener of the younger one", async () => (await ports()).includes(own));
    await mesh.wait("what is told", async () => (await findings()).join().includes("UDP port"));
    expect(await findings()).toEqual([
      `VirtualService/default/younger: UDP port ${shared} is taken by VirtualService default/older, so this listener is not served`,
    ]);
    mesh.chancery.write("younger.yaml", [younger("in")]);
    await mesh.wait("what is told", async () => (await findings()).join().includes("listener name"));
    expect(await findings()).toEqual([
      'VirtualService/default/younger: listener name "in" is taken by VirtualService default/older, so this listener is not served',
    ]);
    await using other = await startDatagramStream({ port: own, clients: [clientAddress(3)] });
    expect([...other.answeredBy(await other.flows()).keys()]).toEqual(["two"]);
  });

  await t.step("through all of that not one datagram of the older one was lost", async () => {
    await stream.answered(start, stream.mark());
    expect([...stream.answeredBy(start).keys()]).toEqual(["one"]);
    expect(await mesh.envoy("ingress").stat("listener_manager.listener_modified")).toBe(0);
  });

  await t.step("when the older one goes the younger one gets what it had wanted", async () => {
    mesh.chancery.remove("older.yaml");
    await mesh.wait(
      "the younger one",
      async () => [...stream.answeredBy(await stream.flows(5)).keys()].join() === "two",
    );
    await mesh.wait("nothing to be told", async () => (await findings()).length === 0);
    await expect(sayOverTcp(shared, "hello")).rejects.toThrow();
    mesh.chancery.remove("younger.yaml");
    await mesh.wait("no listener", async () => (await ports()).length === 0);
  });
});
