import { expect } from "expect";
import { freePort } from "../envoy/harness/mod.ts";
import {
  clientAddress,
  type DatagramStream,
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

/** Milliseconds between health checks. */
const INTERVAL = 500;

Deno.test("a back end that fails is left within about one health check interval, and what is lost was on its way to it", async (t) => {
  const [port, toPort, healthPort] = [freePort(), freePort(), freePort()];
  await using stack = new AsyncDisposableStack();
  const servers: EchoServer[] = [];
  for (const number of [1, 2, 3]) {
    const options = { name: `worker-${number}`, address: podAddress(number), port: toPort, healthPort };
    servers.push(stack.use(await startEchoServer(options)));
  }
  const to = { app: "worker" };
  const entry = listenerEntry("in", {
    port,
    to,
    toPort,
    healthPort,
    interval: INTERVAL,
    cluster: { hash_key: "call-1" },
  });
  await using mesh = await startMesh({
    files: {
      "service.yaml": [virtualService("in", { selector: { app: "ingress" }, listeners: [entry] })],
      "pods.yaml": [
        pod("ingress", { labels: { app: "ingress" }, address: "127.0.0.1" }),
        ...servers.map(({ name, address }) => pod(name, { labels: to, address })),
      ],
    },
    envoys: [{ pod: "ingress" }],
  });
  await using stream = await startDatagramStream({ port, clients: [clientAddress(1), clientAddress(2)] });

  const healthy = (count: number) =>
    mesh.wait(
      `${count} healthy workers`,
      async () => [...(await mesh.hosts("ingress", "in-cluster")).values()].filter(Boolean).length === count,
    );
  const serving = async () => {
    const [name, ...others] = stream.answeredBy(await stream.flows(5)).keys();
    expect(others).toEqual([]); // the key is the same for all
    return servers.find((server) => server.name === name)!;
  };
  await mesh.wait("one worker for all", async () => stream.answeredBy(await stream.flows(5)).size === 1);

  await t.step("one that still answers when its health check fails loses nothing but what is on its way", async () => {
    const waits: number[] = [];
    // The quickest of several: what is measured is Envoy, not how busy the machine is.
    for (let round = 0; round < 4; round++) {
      const worker = await serving();
      const mark = stream.mark();
      const start = performance.now();
      await worker.failHealthChecks();
      waits.push(await leftAfter(stream, { mark, start, name: worker.name, wait: mesh.wait.bind(mesh) }));
      await stream.answered(await stream.flows(5));
      expect(Math.max(0, ...stream.lost(mark).values())).toBeLessThanOrEqual(ON_THE_WAY);
      await worker.comeBack();
      await healthy(servers.length);
    }
    console.log(`left after ${waits.map(Math.round).join(", ")} ms; an interval is ${INTERVAL} ms`);
    expect(Math.min(...waits)).toBeLessThan(2 * INTERVAL);
  });

  await t.step("one that goes away loses what is sent to it until then, and nothing after", async () => {
    await mesh.wait("one worker for all", async () => stream.answeredBy(await stream.flows(5)).size === 1);
    const worker = await serving();
    const mark = stream.mark();
    await worker.goAway();
    await stream.flows(5);
    await stream.answered(await stream.flows(25));
    for (const [, sent] of Map.groupBy(stream.since(mark), ({ client }) => client)) {
      const there = sent.findIndex(({ by }) => by !== undefined && by !== worker.name);
      expect(sent.slice(there, there + 20).map(({ by }) => by)).toEqual(Array(20).fill(sent[there]!.by));
    }
    await worker.comeBack();
  });

  await t.step(
    "when all have failed new senders are dropped until one is back, and those under way stay where they are",
    async () => {
      const { name } = await serving();
      await Promise.all(servers.map((server) => server.failHealthChecks()));
      await healthy(0);
      // Who comes a moment too early still gets a session, and keeps it.
      await mesh.wait("a new sender that is dropped", async () => {
        await using early = await startDatagramStream({ port, clients: [clientAddress(3)] });
        await mesh.wait("a hundred datagrams", () => early.mark() > 100);
        return early.answeredBy(0).size === 0;
      });
      expect([...stream.answeredBy(await stream.flows(5)).keys()]).toEqual([name]);
      await servers[1]!.comeBack();
      await using fresh = await startDatagramStream({ port, clients: [clientAddress(3)] });
      for (const one of [fresh, stream]) {
        await mesh.wait(
          "the one that is back",
          async () => [...one.answeredBy(await one.flows(5)).keys()].join() === "worker-2",
        );
      }
    },
  );
});

/** Milliseconds until somebody else answers what is sent after a mark. */
async function leftAfter(
  stream: DatagramStream,
  { mark, start, name, wait }: {
    mark: number;
    start: number;
    name: string;
    wait: <T>(what: string, ask: () => T) => Promise<Exclude<T, undefined | false>>;
  },
): Promise<number> {
  const first = await wait(
    `another worker than "${name}"`,
    () => stream.since(mark).find(({ by }) => by !== undefined && by !== name),
  );
  return first.at - start;
}
