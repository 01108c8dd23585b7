import { Client, credentials } from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import { expect } from "expect";
import { envoyRegistry } from "../../src/envoy/mod.ts";
import { envoyConfig, staticCluster } from "../envoy/harness/mod.ts";
import { Chancery, chancery } from "./chancery.ts";

const DISCOVERY = "envoy.service.discovery.v3.";
const CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
const PROXIES = 1000;
const BUDGET_MS = 300;

/** Clients that ask for all clusters and accept them, 100 on a connection. */
function connect(port: number, count: number): AsyncDisposable {
  const registry = envoyRegistry();
  const request = registry.codec(`${DISCOVERY}DeltaDiscoveryRequest`);
  const response = registry.codec(`${DISCOVERY}DeltaDiscoveryResponse`);
  const options = { "grpc.use_local_subchannel_pool": 1 };
  const clients = Array.from(
    { length: count / 100 },
    () => new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options),
  );
  const ended: Promise<unknown>[] = [];
  const streams = clients.flatMap((client) =>
    Array.from({ length: 100 }, () => {
      const stream = client.makeBidiStreamRequest(
        `/${DISCOVERY}AggregatedDiscoveryService/DeltaAggregatedResources`,
        (bytes: Uint8Array) => Buffer.from(bytes),
        (bytes) => bytes,
      );
      ended.push(new Promise((resolve) => stream.once("error", resolve).once("end", resolve)));
      stream.on("data", (bytes: Uint8Array) => {
        const { nonce, type_url } = response.decode(bytes);
        stream.write(request.encode({ type_url, response_nonce: nonce }));
      });
      stream.write(request.encode({ type_url: CLUSTER, node: { id: "edge" } }));
      return stream;
    })
  );
  return {
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.cancel();
      await Promise.all(ended);
      for (const client of clients) client.close();
    },
  };
}

Deno.test(`chancery status answers within ${BUDGET_MS} ms with ${PROXIES} proxies`, async () => {
  await using server = new Chancery({ "edge.yaml": [envoyConfig("edge", [staticCluster("api", [1])])] });
  await server.start();
  await using _proxies = connect(server.xdsPort, PROXIES);
  const all = `${PROXIES}/${PROXIES}`;
  await server.wait("all to accept", async () => {
    return (await chancery("status", "--data", server.data)).stdout.includes(all);
  });
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const start = performance.now();
    const { code, stdout } = await chancery("status", "--data", server.data, "-o", "wide");
    times.push(performance.now() - start);
    expect([code, stdout]).toEqual([0, expect.stringContaining(all)]);
  }
  // The best of several: other tests may run at the same time.
  expect(Math.min(...times)).toBeLessThan(BUDGET_MS);
});
