import { expect } from "expect";
import { type Fields, freePort } from "../envoy/harness/mod.ts";
import {
  clientAddress,
  type EchoServer,
  listenerEntry,
  ON_THE_WAY,
  pod,
  podAddress,
  startDatagramStream,
  startEchoServer,
  startMesh,
  virtualService,
} from "./harness/mod.ts";

for (const discovery of ["eds", "strictdns"] as const) {
  const title =
    `back ends come and go under a stream of datagrams, and nothing is lost but what is on its way to one that goes (${discovery})`;
  Deno.test(title, async (t) => {
    const [port, toPort] = [freePort(), freePort()];
    await using stack = new AsyncDisposableStack();
    const servers: EchoServer[] = [];
    for (const number of [1, 2, 3, 4]) {
      const address = podAddress(number);
      servers.push(stack.use(await startEchoServer({ name: `worker-${number}`, address, port: toPort })));
    }
    const cluster = { service_discovery: discovery, source_ip: true };
    const entry = listenerEntry("in", { port, to: { app: "worker" }, toPort, cluster });
    const podOf = ({ name, address }: EchoServer, ready = true) =>
      pod(name, { labels: { app: "worker" }, address, ready });
    const files: Record<string, readonly Fields[]> = {
      "service.yaml": [virtualService("in", { selector: { app: "ingress" }, listeners: [entry] })],
      "ingress.yaml": [pod("ingress", { labels: { app: "ingress" }, address: "127.0.0.1", uid: "uid-of-ingress" })],
    };
    for (const server of servers.slice(0, 3)) files[`${server.name}.yaml`] = [podOf(server)];
    // With eds the clients of the original, too, have a stream for endpoints.
    await using mesh = await startMesh({ files, envoys: [{ pod: "ingress", uid: "uid-of-ingress" }] });
    const clients = Array.from({ length: 10 }, (_, index) => clientAddress(index + 1));
    await using stream = await startDatagramStream({ port, clients });
    const members = (count: number) =>
      mesh.wait(`${count} endpoints`, async () => (await mesh.hosts("ingress", "in-cluster")).size === count);
    await members(3);
    const homes = async () => {
      const all = stream.backEndsOf(await stream.flows(5));
      expect([...all.values()].filter((names) => names.length !== 1)).toEqual([]); // each stays where it is
      return new Map([...all].map(([client, [name]]) => [client, name!]));
    };
    /** Sends through a change, and tells what of it was lost, by client. */
    const through = async (change: () => void, count: number) => {
      const mark = await stream.flows(2);
      change();
      await members(count);
      const end = stream.mark();
      await stream.answered(await stream.flows(5));
      return stream.lost(mark, end);
    };

    await t.step("one more", async () => {
      const before = await homes();
      const lost = await through(() => mesh.chancery.write("worker-4.yaml", [podOf(servers[3]!)]), 4);
      const after = await homes();
      // With eds sessions stay; strictdns makes the whole cluster anew, and of who moves then some go elsewhere.
      if (discovery === "eds") expect({ lost: [...lost], after }).toEqual({ lost: [], after: before });
      expectFew(lost, clients);
    });

    await t.step("one that is not Ready any more", async () => {
      const before = await homes();
      const gone = before.get(clients[0]!)!;
      const server = servers.find(({ name }) => name === gone)!;
      const lost = await through(() => mesh.chancery.write(`${gone}.yaml`, [podOf(server, false)]), 3);
      const after = await homes();
      const there = clients.filter((client) => before.get(client) === gone);
      expectFew(lost, discovery === "eds" ? there : clients);
      expect([...after.values()]).not.toContain(gone);
      const moved = clients.filter((client) => before.get(client) !== after.get(client));
      expect(discovery === "eds" ? moved : moved.filter((client) => there.includes(client))).toEqual(there);
      await through(() => mesh.chancery.write(`${gone}.yaml`, [podOf(server)]), 4);
    });

    await t.step("one after the other, and the last one, too", async () => {
      for (const [index, { name }] of servers.entries()) {
        mesh.chancery.remove(`${name}.yaml`);
        await members(servers.length - 1 - index);
      }
      await stream.dropped();
      mesh.chancery.write("worker-2.yaml", [podOf(servers[1]!)]);
      await members(1);
      expect([...stream.answeredBy(await stream.flows(5)).keys()]).toEqual(["worker-2"]);
    });

    await stream.stop();
    expect(stream.strange).toBe(0);
  });
}

function expectFew(lost: ReadonlyMap<string, number>, clients: readonly string[]): void {
  expect([...lost.keys()].filter((client) => !clients.includes(client))).toEqual([]);
  expect(Math.max(0, ...lost.values())).toBeLessThanOrEqual(ON_THE_WAY);
}
