import { expect } from "expect";
import {
  eventually,
  type Fields,
  freePort,
  httpGet,
  listener,
  startLoad,
  tlsSecret,
  tlsSecretItem,
} from "../envoy/harness/mod.ts";
import { createAuthority } from "../certificates.ts";
import { clusterTest } from "./control_plane/mod.ts";
import { openSite } from "./discovery_service/site.ts";

/** The same listener with an option that cannot be changed while it is in use: Envoy refuses that. */
function unchangeable({ type, value }: Fields): Fields {
  return { type, value: { ...value as Fields, enable_reuse_port: false } };
}

clusterTest(
  "Scenarios S1, S6 and S7: an EnvoyConfig is served, a refused one rolled back in Envoy's words, a repaired one served",
  async () => {
    await using site = await openSite();
    const port = freePort();
    const replica = site.replica("xds-0");
    await replica.start();
    const envoy = await site.envoy("edge", [replica]);
    const good = listener("in", { port, routes: { text: "one" } });
    await site.configure("edge", [good]);
    const { body } = await eventually(() => httpGet({ port }), {
      what: "the first answer",
      explain: () => `${replica.process.tail()}\n${envoy.process.tail()}`,
    });
    expect(body).toBe("one");
    const first = await replica.wait("the acknowledgement", async () => {
      const { cacheState, publishedVersion, acknowledgedVersion } = await site.statusOf("edge");
      return cacheState === "InSync" && publishedVersion === acknowledgedVersion && publishedVersion;
    });
    await using load = startLoad({ target: { port } });

    await site.configure("edge", [unchangeable(good)]);
    const refused = await replica.wait("the rollback", async () => {
      const status = await site.statusOf("edge");
      return status["cacheState"] === "Rollback" && status;
    });
    expect(refused["publishedVersion"]).toBe(first);
    const [said] = replica.logged("Refused");
    expect(said).toMatchObject({ level: "warn", node: "edge", type: "LDS" });
    expect(said?.["reason"]).toContain("reuse port cannot be changed during an update");
    expect(await replica.metrics()).toMatch(
      /chancery_xds_answers_total\{resource_type="LDS",result="refused",reason="other"\} 1/,
    );

    await site.configure("edge", [listener("in", { port, routes: { text: "two" } })]);
    await replica.wait("the repaired version", async () => (await httpGet({ port })).body === "two");
    await replica.wait("its status", async () => (await site.statusOf("edge"))["cacheState"] === "InSync");
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    await replica.stop();
  },
);

clusterTest(
  "W28: a rotated Secret and a rotated server certificate break no stream and lose no request",
  async () => {
    await using site = await openSite();
    const port = freePort();
    const replica = site.replica("xds-0");
    await replica.start();
    const authorities = [await createAuthority("even"), await createAuthority("odd")];
    const trusting = (...trusted: string[]) => ({ port, tls: { serverName: "edge.test", caCerts: trusted } });
    const rotate = async (round: number) =>
      await site.apply(
        tlsSecret("edge-cert", await authorities[round % 2]!.issue({ commonName: "edge", dns: ["edge.test"] })),
      );
    await rotate(0);
    await site.configure("edge", [
      listener("in", { port, routes: { text: "hello" }, certificate: "edge-cert" }),
      tlsSecretItem("edge-cert"),
    ]);
    const envoy = await site.envoy("edge", [replica], { mode: "sotw" });
    await replica.wait("HTTPS", async () => (await httpGet(trusting(authorities[0]!.cert))).status === 200);
    const streams = await replica.streams("edge");
    await using load = startLoad({ target: trusting(...authorities.map(({ cert }) => cert)) });
    for (let round = 1; round <= 3; round++) {
      await rotate(round);
      await replica.wait(`certificate ${round}`, async () => {
        return (await httpGet(trusting(authorities[round % 2]!.cert))).status === 200;
      });
    }
    const before = (await replica.status()).xds.tls?.fingerprint;
    await site.serverCertificate(await site.authority.issue({ commonName: "xds-2", ips: ["127.0.0.1"] }));
    await replica.wait("the server's new certificate", async () => {
      const tls = (await replica.status()).xds.tls;
      return tls?.subject === "CN=xds-2" && tls.fingerprint !== before;
    });
    const late = await site.envoy("edge", [replica]);
    await replica.wait("a client with the new certificate", async () => (await replica.streams("edge")).length === 2);
    expect(await replica.streams("edge")).toEqual(expect.arrayContaining(streams));
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect([envoy.process.ended, late.process.ended]).toEqual([undefined, undefined]);
    await replica.stop();
  },
);

clusterTest(
  "W27: a killed leader and a rolling restart lose no request, and break no stream but their own",
  async () => {
    await using site = await openSite();
    const [port, otherPort] = [freePort(), freePort()];
    const [one, two] = [site.replica("xds-0"), site.replica("xds-1")];
    const publish = (text: string) =>
      Promise.all([
        site.configure("edge", [listener("in", { port, routes: { text } })]),
        site.configure("other", [listener("in", { port: otherPort, routes: { text } })]),
      ]);
    const served = (text: string) =>
      two.wait(`"${text}" to be served`, async () => {
        const bodies = await Promise.all([httpGet({ port }), httpGet({ port: otherPort })]);
        return bodies.every(({ body }) => body === text);
      }, 20_000);

    await one.start();
    expect(await one.leads()).toBe(true);
    const roaming = await site.envoy("edge", [one, two]); // the other one does not listen yet
    await one.wait("its stream", async () => (await one.streams("edge")).length === 1);
    await two.start();
    expect((await two.status()).cluster).toMatchObject({ leader: { name: "xds-0", self: false } });
    await two.wait("both to be known", async () => (await two.status()).cluster?.replicas.length === 2);
    await site.envoy("other", [two]);
    await publish("one");
    await served("one");
    const unbroken = await two.streams("other");
    await using load = startLoad({ target: { port } });
    await using otherLoad = startLoad({ target: { port: otherPort } });

    await one.process.kill();
    const killedAt = performance.now();
    await publish("two");
    await two.wait("the other one to lead", () => two.leads());
    const leadsAfterMs = performance.now() - killedAt;
    await served("two");
    expect(leadsAfterMs).toBeLessThan(5_000); // a Lease of 3 s, looked at every 0.3 s
    await two.wait("the stream of the killed one to come over", async () => (await two.streams("edge")).length === 1);
    expect(await two.streams("other")).toEqual(unbroken);
    await two.wait("the dead one to be forgotten", async () => (await two.status()).cluster?.replicas.length === 1);

    // And back, one after the other, in good order.
    await one.start();
    await two.stop();
    await one.wait("the leadership that was given back", () => one.leads(), 1_500);
    await publish("three");
    await one.wait("the change", async () => (await httpGet({ port })).body === "three");
    expect((await httpGet({ port: otherPort })).body).toBe("two"); // its only replica is away
    await two.start();
    await served("three");
    await one.stop();
    await two.wait("the leadership", () => two.leads(), 1_500);
    await publish("four");
    await served("four");
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect(await otherLoad.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect(roaming.process.ended).toBeUndefined();
    const leases = await site.cluster.kubectl(["get", "leases", "-n", site.namespace, "-o", "name"]);
    expect(leases.stdout.trim().split("\n").sort()).toEqual([
      "lease.coordination.k8s.io/chancery-discovery-service",
      "lease.coordination.k8s.io/chancery-replica-xds-1",
    ]);
    await two.stop();
  },
);
