/** Pods behind Envoy: S9. */
import { expect } from "expect";
import { createAuthority } from "../../certificates.ts";
import { eventually, freePort, httpGet, startLoad, tlsSecret } from "../../envoy/harness/mod.ts";
import { ECHO_SERVER, nodeTest, programImage, startNode } from "../node/mod.ts";
import { manifest, openStage } from "./stage.ts";

nodeTest(
  "Scenario S9: endpoints follow the pods of a Service as it is scaled, and neither EnvoyConfig nor revisions change",
  async () => {
    await using stage = await openStage({ replicas: 2 });
    await using _node = await startNode({
      controlPlane: stage.site.cluster,
      images: { echo: programImage(ECHO_SERVER) },
      namespaces: [stage.namespace],
    });
    const authority = await createAuthority();
    const port = freePort();
    const target = { port, tls: { serverName: "edge.test", caCerts: [authority.cert] } };
    await stage.site.apply(tlsSecret("certificate", await authority.issue({ commonName: "edge", dns: ["edge.test"] })));
    const envoy = await stage.envoy("kuard", "sotw");
    await stage.apply(await manifest("s09_endpoint_slices", { 8443: port }));

    /** Waits until so many pods answer through Envoy, and no others. */
    const answering = (count: number) =>
      eventually(async () => {
        const bodies = await Promise.all(Array.from({ length: 4 * count + 2 }, () => httpGet(target)));
        const names = new Set(bodies.map(({ body }) => JSON.parse(body).hostname as string));
        return names.size === count && names;
      }, {
        what: `${count} pods to answer`,
        deadlineMs: 40_000,
        explain: () => `${stage.tail()}\n${envoy.process.tail()}`,
      });

    await answering(2);
    await stage.accepted("kuard");
    const before = await stage.config("kuard");
    await using load = startLoad({ target });
    for (const [count, replicas] of [[3, 3], [1, 1], [2, 2]] as const) {
      expect((await stage.kubectl("scale", "deployment/kuard", `--replicas=${replicas}`)).code).toBe(0);
      await answering(count);
    }
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    const after = await stage.config("kuard");
    expect([after.spec, after.metadata.generation]).toEqual([before.spec, before.metadata.generation]);
    const { publication, publishedVersion, revisions } = before.status ?? {};
    expect(after.status).toMatchObject({ cacheState: "InSync", publication, publishedVersion, revisions });
    expect(await envoy.stat("cluster_manager.cds.update_success")).toBe(1);
    expect(await envoy.stat("listener_manager.lds.update_success")).toBe(1);
  },
);
