import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import {
  eachLink,
  edsCluster,
  endpoints,
  envoyConfig,
  type Fields,
  freePort,
  healthChecks,
  httpGet,
  listener,
  route,
  startLoad,
  startUpstream,
  startWorld,
  staticCluster,
  tlsSecret,
  tlsSecretItem,
  upstreamTls,
} from "./harness/mod.ts";

eachLink("clusters that warm by health checks, EDS and TLS change without a lost request", async (link) => {
  const authority = await createAuthority();
  const certificate = await authority.issue({ commonName: "secure", dns: ["secure.test"] });
  await using checked = startUpstream("checked");
  await using found = startUpstream("found");
  await using secure = startUpstream("secure", certificate);
  const kinds = ["checked", "found", "secure"];
  const ports = { checked: freePort(), found: freePort(), secure: freePort() };

  /** Even rounds change the clusters as they are; odd ones also give them new names. */
  function config(round: number): Fields[] {
    const [generation, more] = [Math.floor((round + 1) / 2), { connect_timeout: `${round + 1}s` }];
    const name = (kind: string) => `${kind}-${generation}`;
    return [
      envoyConfig("edge", [
        staticCluster(name("checked"), [checked.port], { ...healthChecks(), ...more }),
        edsCluster(name("found"), more),
        endpoints(name("found"), [found.port]),
        staticCluster(name("secure"), [secure.port], { ...upstreamTls("upstream-ca", "secure.test"), ...more }),
        tlsSecretItem("upstream", { blueprint: "validationContext", alias: "upstream-ca" }),
        ...kinds.map((kind) => route(kind, { cluster: name(kind) })),
        ...Object.entries(ports).map(([kind, port]) => listener(kind, { port, routes: { rds: kind } })),
      ]),
      tlsSecret("upstream", { ...certificate, ca: authority.cert }),
    ];
  }

  await using world = await startWorld(link, { files: { "edge.yaml": config(0) } });
  for (const [kind, port] of Object.entries(ports)) expect((await httpGet({ port })).body).toBe(kind);
  await using stack = new AsyncDisposableStack();
  const loads = Object.values(ports).map((port) => stack.use(startLoad({ target: { port }, keepAlive: 2, fresh: 1 })));
  for (let round = 1; round <= 6; round++) {
    world.chancery.write("edge.yaml", config(round));
    await world.wait(`round ${round} to be active`, async () => {
      const dump = JSON.parse(await world.envoy.admin("/config_dump?resource=dynamic_active_clusters"));
      const timeouts = dump.configs.map(({ cluster }: { cluster: Fields }) => cluster["connect_timeout"]);
      return timeouts.filter((timeout: unknown) => timeout === `${round + 1}s`).length === kinds.length;
    });
    const before = loads.map((load) => load.requests);
    await world.wait("load after the change", () => loads.every((load, i) => load.requests > before[i]! + 30));
  }
  for (const [i, load] of loads.entries()) {
    const report = await load.stop();
    expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect([...report.bodies.keys()]).toEqual([kinds[i]]);
  }
});
