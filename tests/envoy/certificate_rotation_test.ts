import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import {
  eachLink,
  envoyConfig,
  type Fields,
  freePort,
  httpGet,
  listener,
  startLoad,
  startWorld,
  tlsSecret,
  tlsSecretItem,
} from "./harness/mod.ts";

eachLink("a certificate rotated by its Secret is served without a lost request", async (link) => {
  const port = freePort();
  const authorities = [await createAuthority("even"), await createAuthority("odd")];
  const request = { commonName: "edge", dns: ["edge.test"] };

  async function secret(round: number): Promise<Fields[]> {
    return [tlsSecret("edge-cert", await authorities[round % 2]!.issue(request))];
  }

  function trusting(...trusted: string[]) {
    return { port, tls: { serverName: "edge.test", caCerts: trusted } };
  }

  const resources = [
    listener("in", { port, routes: { text: "hello" }, certificate: "edge-cert" }),
    tlsSecretItem("edge-cert"),
  ];
  await using world = await startWorld(link, {
    files: { "edge.yaml": [envoyConfig("edge", resources)], "secret.yaml": await secret(0) },
  });
  expect((await httpGet(trusting(authorities[0]!.cert))).body).toBe("hello");
  await using load = startLoad({ target: trusting(...authorities.map(({ cert }) => cert)) });
  for (let round = 1; round <= 6; round++) {
    world.chancery.write("secret.yaml", await secret(round));
    const only = trusting(authorities[round % 2]!.cert);
    await world.wait(`certificate ${round} to be served`, async () => (await httpGet(only)).body === "hello");
  }

  // A Secret that no longer holds a certificate keeps the last good one served.
  world.chancery.write("secret.yaml", [tlsSecret("edge-cert", { cert: "not a certificate", key: "not a key either" })]);
  await world.wait("a word about the broken Secret", async () => {
    return (await world.chancery.status()).findings.some(({ about, message }) =>
      `${about} ${message}`.includes("edge-cert")
    );
  });
  expect((await httpGet(trusting(authorities[0]!.cert))).body).toBe("hello");
  world.chancery.write("secret.yaml", await secret(1));
  await world.wait("the repaired Secret", async () => (await httpGet(trusting(authorities[1]!.cert))).body === "hello");

  const report = await load.stop();
  expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
  expect(report.requests).toBeGreaterThan(200);
});
