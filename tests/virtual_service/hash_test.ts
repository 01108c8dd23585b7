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

/** So many keys that all of them meeting by chance on one of three hosts is out of the question: 3 × 3⁻¹². */
const KEYS = 12;

Deno.test("who is sent to follows from the key, or from who sends, in UDP and in TCP", async (t) => {
  const toPort = freePort();
  await using stack = new AsyncDisposableStack();
  const workers: Fields[] = [];
  for (const number of [1, 2, 3]) {
    const [name, address] = [`worker-${number}`, podAddress(number)];
    stack.use(await startEchoServer({ name, address, port: toPort }));
    workers.push(pod(name, { labels: { app: "worker" }, address }));
  }
  const keyed = Array.from({ length: KEYS }, (_, number) => ({ port: freePort(), key: `100%-call-${number}` }));
  const bySender = freePort();
  const to = { to: { app: "worker" }, toPort };
  const listeners = (["udp", "tcp"] as const).flatMap((protocol) => [
    ...keyed.map(({ port, key }, index) =>
      listenerEntry(`${protocol}-${index}`, { ...to, protocol, port, cluster: { hash_key: key } })
    ),
    listenerEntry(`${protocol}-sender`, { ...to, protocol, port: bySender, cluster: { source_ip: true } }),
  ]);
  await using _mesh = await startMesh({
    files: {
      "pods.yaml": [...workers, pod("ingress", { labels: { app: "ingress" }, address: "127.0.0.1" })],
      "service.yaml": [virtualService("in", { selector: { app: "ingress" }, listeners })],
    },
    envoys: [{ pod: "ingress" }],
  });
  const clients = Array.from({ length: 20 }, (_, index) => clientAddress(index + 1));
  const names = ["worker-1", "worker-2", "worker-3"];

  await t.step("UDP: all senders of one key meet, and keys spread", async () => {
    const homes = new Set<string>();
    for (const { port } of keyed) {
      await using stream = await startDatagramStream({ port, clients: clients.slice(0, 5), everyMs: 1 });
      const [home, ...others] = stream.answeredBy(await stream.flows(2)).keys();
      expect(others).toEqual([]);
      homes.add(home!);
    }
    expect(homes.size).toBeGreaterThan(1);
  });

  await t.step("UDP: each sender stays, and senders spread", async () => {
    const homes = async () => {
      await using stream = await startDatagramStream({ port: bySender, clients, everyMs: 1 });
      return stream.backEndsOf(await stream.flows(3));
    };
    const once = await homes();
    expect([...new Set([...once.values()].flat())].sort()).toEqual(names);
    expect([...once.values()].every(({ length }) => length === 1)).toBe(true);
    expect(new Map([...await homes()].sort())).toEqual(new Map([...once].sort())); // new sockets, the same address
  });

  await t.step("TCP: the same of both", async () => {
    const homes = new Map<string, Set<string>>();
    for (const { port, key } of keyed) {
      const all = await Promise.all([1, 2, 3].map(() => sayOverTcp(port, "hello")));
      homes.set(key, new Set(all));
    }
    expect([...homes.values()].filter(({ size }) => size !== 1)).toEqual([]);
    expect(new Set([...homes.values()].flatMap((home) => [...home])).size).toBeGreaterThan(1);
    const mine = await Promise.all([1, 2, 3, 4, 5].map(() => sayOverTcp(bySender, "hello")));
    expect(new Set(mine).size).toBe(1); // all of them from 127.0.0.1
  });
});
